#include "engines/cpu/cpu_target.h"

#include <gtest/gtest.h>

#include "engines/cpu/compile_module.h"
#include "ops/linear/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally::cpu {
namespace {

// x w, x [4, 64] and w [64, 64] constant.
ValidModule Product() {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({4, 64}), {-100, 100}});
  const ValueId w = b.Constant(Tensor(*Shape::Create({64, 64}), Storage::kI8));
  b.Result("y", b.Op(Opcode::kMatmul, {x, w}, MatmulAttrs{}));
  return *Validate(std::move(b).Build());
}

TEST(CpuTarget, KeepsNoMoreThanIsLeft) {
  const ValidModule module = Product();
  const FunctionView function(module, 0);
  int64_t left = 100;
  const PlanContext context = {.kept_bytes = &left};
  CpuTarget target(function, context);
  EXPECT_TRUE(target.MayKeep(60));
  EXPECT_FALSE(target.MayKeep(60));
  EXPECT_TRUE(target.MayKeep(40));
  EXPECT_EQ(left, 0);
}

TEST(CpuTarget, TakesAGemmWhereItsWeightsMayBeKept) {
  const ValidModule module = Product();
  const FunctionView function(module, 0);
  const size_t product = function.body().size() - 1;
  int64_t left = 1 << 20;
  PlanContext context = {.kept_bytes = &left};
  EXPECT_TRUE(CpuTarget(function, context).GemmAt(product).has_value());
  EXPECT_LT(left, 1 << 20);
  left = 1000;  // less than the weights are
  EXPECT_FALSE(CpuTarget(function, context).GemmAt(product).has_value());
  EXPECT_EQ(left, 1000);
  left = 1 << 20;
  context.uses_gemm = false;
  EXPECT_FALSE(CpuTarget(function, context).GemmAt(product).has_value());
}

// Channels of an image go to their place among others; rows, what meets a residual and what is viewed
// otherwise do not.
TEST(CpuTarget, WritesImagesAloneIntoAConcatenation) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({1, 8, 4, 4}), {-100, 100}});
  const ConvolutionAttrs pixels = {
      .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}};
  b.Result("y", b.Op(Opcode::kConvolution,
                     {x, b.Constant(Tensor(*Shape::Create({8, 8, 1, 1}), Storage::kI8))}, pixels));
  const ValidModule module = *Validate(std::move(b).Build()), product = Product();
  const FunctionView function(module, 0), of_product(product, 0);
  const PlanContext context;
  const CpuTarget target(function, context);
  FusionGroup group = {.gemm = function.body().size() - 1};
  group.last = group.gemm;
  EXPECT_TRUE(target.WritesIntoConcat(group));
  group.viewed = true;
  EXPECT_FALSE(target.WritesIntoConcat(group));
  group.viewed = false;
  group.residual.emplace();
  EXPECT_FALSE(target.WritesIntoConcat(group));
  FusionGroup rows = {.gemm = of_product.body().size() - 1};
  EXPECT_FALSE(CpuTarget(of_product, context).WritesIntoConcat(rows));
}

// A function may be compiled more than once, here for one who looks on.
TEST(Compile, MayKeepAsMuchInEachTry) {
  constexpr int64_t kGroups = 2048;  // each of which fills a tile with its one weight
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({1, kGroups, 1, 1}), {-1, 1}});
  const ValueId w = b.Constant(Tensor(*Shape::Create({2 * kGroups, 1, 1, 1}), Storage::kI8));
  const ConvolutionAttrs attrs = {
      .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}, .groups = kGroups};
  for (const char* name : {"y", "z"}) b.Result(name, b.Op(Opcode::kConvolution, {x, w}, attrs));
  const ValidModule module = *Validate(std::move(b).Build());
  std::vector<size_t> groups;
  std::vector<Schedule> programs;
  const auto count = [&](Pass pass, const FunctionView&, const Schedule& schedule) {
    if (pass == Pass::kFuse) groups.push_back(schedule.groups.size());
  };
  Compile(module, {.published = module, .flags = {}, .threads = 1, .after = count}, programs);
  // There is room for one of the two.
  EXPECT_EQ(groups, std::vector<size_t>{1});
}

}  // namespace
}  // namespace tally::cpu
