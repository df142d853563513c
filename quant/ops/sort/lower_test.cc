// Lowered modules against the float graph they came from: family sort.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "quant/calibrate/calibrate.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

Value Ids(const Shape& shape, const Interval& interval) {
  return {"ids", {ElementType::kInt64, shape}, kGraphInput, interval};
}

// So fine that random floats have codes of their own.
constexpr double kStep = 0x1p-20;
const QuantizedType kFine = {kStep, 0, {-(1 << 23), 1 << 23}};
const LoweredSamples kFineInputs = {.options = {.inputs = {{"x0", kFine}, {"x1", kFine}}}};
const LoweredSamples kFineInput = {.options = {.inputs = {{"x0", kFine}}}};

TEST(LowerSelection, TheBestAndTheirPlaces) {
  for (const bool is_min : {false, true}) {
    TopK op = {.axis = 1, .k = 3, .is_min = is_min};
    const OutputAccuracy values = MeasureLowered(OneNode(op, {{5, 16, 2}}), kFineInput);
    EXPECT_LE(values.error.largest(), kStep);
    op.result = TopKResult::kIndices;
    EXPECT_EQ(MeasureLowered(OneNode(op, {{5, 16, 2}}), kFineInput).error.largest(), 0);
  }
}

TEST(LowerSelection, TheBestOfIntegers) {
  for (const TopKResult result : {TopKResult::kValues, TopKResult::kIndices}) {
    GraphBuilder b("best");
    const ValueId x = *b.AddInput(Ids({4, 9}, {-3, 5}));
    b.AddOutput(*b.AddNode(TopK{1, 4, false, result}, {x}, "y", "the node"));
    EXPECT_EQ(MeasureLowered(*std::move(b).Build()).error.largest(), 0);
  }
}

TEST(LowerSelection, BothResultsComeFromOneInstruction) {
  GraphBuilder b("both");
  const ValueId x = *b.AddInput("x", {4, 9}), boxes = *b.AddInput("boxes", {1, 5, 4}),
                scores = *b.AddInput("scores", {1, 2, 5});
  b.AddOutput(*b.AddNode(TopK{1, 3, false, TopKResult::kIndices}, {x}, "indices", "top"));
  b.AddOutput(*b.AddNode(TopK{1, 3}, {x}, "values", "top"));
  b.AddOutput(*b.AddNode(TopK{1, 2}, {x}, "fewer", "top"));
  NonMaxSuppression op;
  b.AddOutput(*b.AddNode(op, {boxes, scores}, "selected", "nms"));
  op.result = SuppressionResult::kCount;
  b.AddOutput(*b.AddNode(op, {boxes, scores}, "count", "nms"));
  CtcGreedyDecoder decoder;
  b.AddOutput(*b.AddNode(decoder, {boxes}, "symbols", "ctc"));
  decoder.result = CtcResult::kLength;
  b.AddOutput(*b.AddNode(decoder, {boxes}, "length", "ctc"));
  const Graph graph = *std::move(b).Build();
  const auto calibration = Calibrate(graph, 1, [](int64_t) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector<FloatTensor>{Random({4, 9}, 1), Random({1, 5, 4}, 2), Random({1, 2, 5}, 3)};
  });
  const Module module = *LowerToModule(graph, *calibration, {});
  ASSERT_TRUE(Validate(module).ok());
  const auto& body = module.functions[0].body;
  EXPECT_EQ(std::ranges::count(body, Opcode::kTopK, &Instruction::op), 2);
  EXPECT_EQ(std::ranges::count(body, Opcode::kNms, &Instruction::op), 1);
  EXPECT_EQ(std::ranges::count(body, Opcode::kCtcGreedyDecoder, &Instruction::op), 1);
  // The values stand in front of their places, and the selected rows in front of their count.
  const auto& results = module.functions[0].results;
  EXPECT_EQ(results[0], results[1] + 1);
  EXPECT_EQ(results[4], results[3] + 1);
  EXPECT_EQ(results[6], results[5] + 1);
}

}  // namespace
}  // namespace tally::quant
