// Lowered modules against the float graph they came from: family detection.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "engines/engine.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

// So fine that random floats have codes of their own.
constexpr double kStep = 0x1p-20;
const QuantizedType kFine = {kStep, 0, {-(1 << 23), 1 << 23}};
const LoweredSamples kFineInputs = {.options = {.inputs = {{"x0", kFine}, {"x1", kFine}}}};
const LoweredSamples kFineInput = {.options = {.inputs = {{"x0", kFine}}}};

TEST(LowerSelection, KeepsBoxesThatDoNotOverlap) {
  for (const BoxEncoding encoding : {BoxEncoding::kCorners, BoxEncoding::kCenter}) {
    for (const float score : {0.5f, -std::numeric_limits<float>::infinity()}) {
      for (const SuppressionResult result : {SuppressionResult::kSelected, SuppressionResult::kCount}) {
        const NonMaxSuppression op = {encoding, 6, 0.2f, score, result};
        EXPECT_EQ(MeasureLowered(OneNode(op, {{2, 12, 4}, {2, 3, 12}}), kFineInputs).error.largest(), 0);
      }
    }
  }
}

TEST(LowerSelection, KeepsTheBestOfAnImage) {
  for (const bool shared : {false, true}) {
    for (const SuppressionResult result : {SuppressionResult::kSelected, SuppressionResult::kCount}) {
      NonMaxSuppression op = {.max_per_class = 5, .iou_threshold = 0.2f, .result = result};
      op.top_k = 8;
      op.max_per_image = 7;
      op.side_offset = 0.25f;
      op.are_images_apart = shared;
      op.mixes_classes = shared;
      const Shape boxes = shared ? Shape{2, 12, 4} : Shape{2, 3, 12, 4};
      EXPECT_EQ(MeasureLowered(OneNode(op, {boxes, {2, 3, 12}}), kFineInputs).error.largest(), 0);
    }
  }
}

// Within a step of 16 bits of the boxes, and of what rounding deltas moves them.
TEST(LowerSelection, DecodesBoxesByOneRounding) {
  for (const BoxDecode& op : {BoxDecode{}, BoxDecode{0.1f, 0.2f}, BoxDecode{0.1f, 0.2f, 1}}) {
    const OutputAccuracy fixed =
        MeasureLowered(OneNode(op, {{2, 9, 4}}, {Random({9, 4}, 3, 0, 8)}), kFineInput);
    EXPECT_GT(fixed.error.sqnr_db(), 70);
    EXPECT_GT(MeasureLowered(OneNode(op, {{2, 9, 4}, {2, 9, 4}}), kFineInputs).error.sqnr_db(), 60);
  }
}

// The grid of boxes far from 0 has a zero point, which is no part of a side.
TEST(LowerSelection, SidesOfCentersHaveNoZeroPoint) {
  const QuantizedType off = {0x1p-12, -20000, {-32768, 32767}};
  const LoweredSamples samples = {.low = 0.5, .high = 4, .options = {.inputs = {{"x0", off}, {"x1", kFine}}}};
  const NonMaxSuppression op = {.encoding = BoxEncoding::kCenter, .max_per_class = 12};
  EXPECT_EQ(MeasureLowered(OneNode(op, {{1, 12, 4}, {1, 1, 12}}), samples).error.largest(), 0);
}

// A score of the threshold itself is none above it, on a grid with and without a zero point.
TEST(LowerSelection, OnlyScoresAboveTheThresholdCount) {
  for (const int64_t zero_point : {0, -50}) {
    const QuantizedType coarse = {0.5, zero_point, {-128, 127}};
    GraphBuilder b("scores");
    const ValueId boxes = *b.AddConstant("boxes", Random({1, 4, 4}, 1));
    const ValueId scores = *b.AddInput("scores", {1, 1, 4});
    const ValueId count = *b.AddNode(NonMaxSuppression{.max_per_class = 4,
                                                       .iou_threshold = 1,
                                                       .score_threshold = 1.5f,
                                                       .result = SuppressionResult::kCount},
                                     {boxes, scores}, "count", "the node");
    b.AddOutput(count);
    const Graph graph = *std::move(b).Build();
    const SampleSource sample = [](int64_t) -> absl::StatusOr<std::vector<FloatTensor>> {
      return std::vector<FloatTensor>{{{1, 1, 4}, {1.5f, 1, 2, 40}}};
    };
    const auto module = LowerToModule(graph, *Calibrate(graph, 1, sample), {.inputs = {{"scores", coarse}}});
    ASSERT_TRUE(module.ok()) << module.status();
    const auto plan = *MakePlan("reference", std::make_shared<const ValidModule>(*Validate(*module)));
    EXPECT_EQ(MeasureAccuracy(graph, *plan, 1, sample)->outputs[0].error.largest(), 0) << zero_point;
  }
}

TEST(LowerSelection, DecodesAsTheDefinition) {
  for (const bool merge : {false, true}) {
    for (const CtcResult result : {CtcResult::kSymbols, CtcResult::kLength}) {
      const CtcGreedyDecoder op = {.blank = 1, .merge_repeated = merge, .result = result};
      GraphBuilder b("decoder");
      const ValueId x = *b.AddInput("x", {9, 3, 4});
      const ValueId mask = *b.AddInput({"mask", {ElementType::kInt64, {9, 3}}, kGraphInput, Interval{0, 1}});
      b.AddOutput(*b.AddNode(op, {x, mask}, "y", "the node"));
      const LoweredSamples fine = {.options = {.inputs = {{"x", kFine}}}};
      EXPECT_EQ(MeasureLowered(*std::move(b).Build(), fine).error.largest(), 0);
    }
  }
}

}  // namespace
}  // namespace tally::quant
