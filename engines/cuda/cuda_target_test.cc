#include "engines/cuda/cuda_target.h"

#include <gtest/gtest.h>

#include "engines/cuda/compile_module.h"
#include "engines/testing/emulated_device.h"
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

// A lowering may have found narrower values than users know.
TEST(CudaTarget, StoresAValueInAWiderStorage) {
  const ValidModule module = Product(100);
  const FunctionView function(module, 0);
  PlanContext context;
  Program program;
  ScheduledOp op = {.kind = ScheduledOpKind::kStore};
  const Shape shape = *Shape::Create({5});
  op.operands = {program.NewValue({shape, {-100, 100}}, Layout::kRowMajor)};
  op.results = {program.NewValue({shape, {-1000, 1000}}, Layout::kRowMajor)};
  program.buffers[op.operands[0].buffer].offset = 0;
  program.buffers[op.results[0].buffer].offset = 256;
  program.constant_offsets = {-1, -1};
  CudaTarget(function, context).Select(program, op);
  ASSERT_EQ(op.steps.size(), 1);

  EmulatedDevice device;
  const auto memory = *device.Allocate(512);
  const auto stream = *device.NewStream();
  std::vector<int8_t> x = {-100, -1, 0, 7, 100};
  std::vector<int16_t> y(5);
  const auto bytes = [](auto& values) {
    return std::span(reinterpret_cast<uint8_t*>(values.data()), values.size() * sizeof values[0]);
  };
  ASSERT_TRUE(stream->CopyIn(memory->bytes(), bytes(x)).ok());
  const auto& step = static_cast<const Step&>(*op.steps[0]);
  ASSERT_TRUE(step.Run({&program, stream.get(), memory->bytes(), nullptr}).ok());
  ASSERT_TRUE(stream->CopyOut(bytes(y), memory->bytes() + 256).ok());
  ASSERT_TRUE(stream->Wait().ok());
  EXPECT_EQ(y, (std::vector<int16_t>{-100, -1, 0, 7, 100}));
}

// A function may be compiled more than once, here for one who looks on.
TEST(Compile, MayKeepAsMuchInEachTry) {
  constexpr int64_t kGroups = 1 << 16;
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({1, kGroups, 1, 1}), {-1, 1}});
  const ValueId w = b.Constant(Tensor(*Shape::Create({2 * kGroups, 1, 1, 1}), Storage::kI8));
  const ConvolutionAttrs attrs = {
      .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}, .groups = kGroups};
  for (const char* name : {"y", "z"}) b.Result(name, b.Op(Opcode::kConvolution, {x, w}, attrs));
  const ValidModule module = *Validate(std::move(b).Build());
  std::vector<size_t> groups;
  const auto count = [&](Pass pass, const FunctionView&, const Schedule& schedule) {
    if (pass == Pass::kFuse) groups.push_back(schedule.groups.size());
  };
  std::vector<Program> programs;
  Constants constants;
  Compile(module, {.published = module, .after = count}, programs, constants);
  // There is room for one of the two.
  EXPECT_EQ(groups, std::vector<size_t>{1});
}

}  // namespace
}  // namespace tally::cuda
