// The notes on the steps of plans.
#include "vm/step_notes.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "engines/engine.h"
#include "ops/control/attrs.h"
#include "ops/elementwise/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

using Names = std::set<std::string_view>;

constexpr Interval kBytes = {-128, 127};

Shape Dims(std::vector<int64_t> dims) { return *Shape::Create(dims); }

// A plan's steps, by the portable kernels: notes do not depend on the level.
std::vector<PlanStep> StepsOf(ModuleBuilder b) {
  const auto module = std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
  return (*MakePlan("cpu", module, {.level = "portable"}))->steps();
}

Names NamesOf(const PlanStep& step) {
  const auto names = step.notes.names();
  return {names.begin(), names.end()};
}

ValueId Constant(ModuleBuilder& b, std::vector<int64_t> dims, int64_t value) {
  const Shape shape = Dims(dims);
  return b.Constant(*Tensor::FromValues(shape, std::vector<int64_t>(shape.num_elements(), value)));
}

ValueId ToBytes(ModuleBuilder& b, ValueId x, int64_t channels, int64_t axis = 1) {
  return b.Op(Opcode::kRescale,
              {x, Constant(b, {channels}, 1 << 30), Constant(b, {channels}, 0), Constant(b, {channels}, 40)},
              RescaleAttrs{.axis = axis, .lo = -128, .hi = 127});
}

ValueId Convolution(ModuleBuilder& b, ValueId x, int64_t in, int64_t out) {
  return b.Op(Opcode::kConvolution, {x, Constant(b, {out, in, 1, 1}, 3)},
              ConvolutionAttrs{.stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}});
}

TEST(StepNotes, NameWhatIsFusedIntoAConvolution) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {Dims({1, 4, 3, 3}), kBytes}),
                r = b.Param("r", {Dims({1, 8, 3, 3}), kBytes});
  ValueId y = b.Op(Opcode::kRelu, {ToBytes(b, Convolution(b, x, 4, 8), 8)});
  y = ToBytes(b, b.Op(Opcode::kBroadcastAdd, {y, b.Op(Opcode::kAbs, {r})}), 1);
  y = b.Op(Opcode::kTable,
           {b.Op(Opcode::kClip, {y}, ClipAttrs{.a_min = -9, .a_max = 9}), Constant(b, {256}, 5)},
           TableAttrs{.offset = -128});
  b.Result("y", y);
  const auto steps = StepsOf(std::move(b));
  const auto gemm = std::ranges::find(steps, "gemm_s16s16s32_1x32", &PlanStep::kernel);
  ASSERT_NE(gemm, steps.end());
  Names names = NamesOf(*gemm);
  EXPECT_TRUE(names.erase("high_word") + names.erase("halves") > 0);
  EXPECT_EQ(names, (Names{"rescale_by_channel", "clip", "add_and_rescale", "clip_residual", "table"}));
}

TEST(StepNotes, TellABiasFromAnAdditionAndALincomb) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {Dims({4, 5}), kBytes}), r = b.Param("r", {Dims({4, 6}), kBytes});
  const auto product = [&] {
    const ValueId y = b.Op(Opcode::kMatmul, {x, Constant(b, {5, 6}, 2)}, MatmulAttrs{});
    return ToBytes(b, b.Op(Opcode::kBroadcastAdd, {y, Constant(b, {6}, 7)}), 1);
  };
  b.Result("added", b.Op(Opcode::kBroadcastAdd, {product(), r}));
  b.Result("combined",
           b.Op(Opcode::kLincomb, {product(), r},
                LincombAttrs{.multipliers = {1, 1}, .zero_points = {0, 0}, .lo = -128, .hi = 127}));
  std::vector<Names> seen;
  for (const PlanStep& step : StepsOf(std::move(b))) {
    if (step.notes.Has(StepNote::kBias)) seen.push_back(NamesOf(step));
  }
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(seen[0].contains("add") && seen[0].contains("rescale") && !seen[0].contains("lincomb"));
  EXPECT_TRUE(seen[1].contains("lincomb") && !seen[1].contains("add"));
}

TEST(StepNotes, SayWhereTheBytesAre) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {Dims({4, 64}), kBytes});
  const ValueId half =
      b.Op(Opcode::kStridedSlice, {x}, StridedSliceAttrs{.begin = {2}, .end = {4}, .stride = {1}});
  const ValueId a = b.Op(Opcode::kAbs, {b.Op(Opcode::kReshape, {half}, ReshapeAttrs{.shape = {128}})});
  b.Result("y", b.Op(Opcode::kBroadcastMul, {a, Constant(b, {128}, 2)}));
  const std::vector<PlanStep> steps = StepsOf(std::move(b));
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(NamesOf(steps[0]), (Names{"reads_part", "reads_input", "writes_result"}));
  EXPECT_EQ(NamesOf(steps[1]), (Names{"reads_constant", "in_place", "writes_result"}));
}

TEST(StepNotes, NameTheFunction) {
  ModuleBuilder b(Profile::kCore);
  const TensorType type = {Dims({3}), kBytes};
  const ValueId x = b.Param("x", type);
  const std::vector<ValueId> p = b.BeginFunction({type});
  const int64_t function = b.EndFunction({b.Op(Opcode::kAbs, {p[0]})});
  b.Result("y", b.Op(Opcode::kCall, {x}, CallAttrs{.function = function}));
  const std::vector<PlanStep> steps = StepsOf(std::move(b));
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].kernel, "call_reference");
  EXPECT_EQ(steps[0].function, 0u);
  EXPECT_EQ(steps[1].function, 1u);
}

}  // namespace
}  // namespace tally
