#include "vm/engines/cuda/cuda_target.h"

#include <gtest/gtest.h>

#include "ops/linear/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally::cuda {
namespace {

// x w of values in [-magnitude, magnitude], x [4, 64] and w [64, 8] constant.
ValidModule Product(int64_t magnitude) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({4, 64}), {-magnitude, magnitude}});
  const ValueId w =
      b.Constant(*Tensor::FromValues(*Shape::Create({64, 8}), std::vector<int64_t>(64 * 8, magnitude)));
  b.Result("y", b.Op(Opcode::kMatmul, {x, w}, MatmulAttrs{}));
  return *Validate(std::move(b).Build());
}

TEST(CudaTarget, TellsSumsBeyond32Bits) {
  for (const auto& [magnitude, wide] : {std::pair<int64_t, bool>{100, false}, {30000, true}}) {
    const ValidModule module = Product(magnitude);
    const FunctionView function(module, 0);
    PlanContext context = {.most_made_bytes = 1 << 24, .direct_bytes_left = 1 << 20};
    const auto gemm = CudaTarget(function, context).GemmAt(function.body().size() - 1);
    ASSERT_TRUE(gemm.has_value()) << magnitude;
    EXPECT_EQ(gemm->is_s64, wide) << magnitude;
  }
}

TEST(CudaTarget, KeepsNoMoreThanIsLeft) {
  const ValidModule module = Product(100);
  const FunctionView function(module, 0);
  PlanContext context = {.most_made_bytes = 100};
  CudaTarget target(function, context);
  EXPECT_TRUE(target.MayKeep(60));
  EXPECT_FALSE(target.MayKeep(60));
  EXPECT_TRUE(target.MayKeep(40));
}

}  // namespace
}  // namespace tally::cuda
