// The gain of equalized channels on 8 bits.
#include "quant/equalize/choose_exponents.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "engines/engine.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/calibrate/calibrate.h"
#include "quant/equalize/equalize.h"
#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/lower.h"
#include "quant/lower/testing/measure_lowered.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

constexpr int64_t kChannels = 8;

FloatTensor Drawn(const Shape& shape, uint32_t seed) { return Random(shape, seed, -1, 1); }

// A layer whose channel c is about spread^c large, a ReLU, and a `depthwise` or full layer that brings all of
// them to one size.
Graph Layers(double spread, bool depthwise) {
  GraphBuilder b("layers");
  const ValueId x = *b.AddInput("x", {1, kChannels, 6, 6});
  FloatTensor first = Drawn({kChannels, kChannels, 1, 1}, 1);
  FloatTensor second = Drawn(depthwise ? Shape{kChannels, 1, 3, 3} : Shape{kChannels, kChannels, 1, 1}, 2);
  const int64_t row = NumElements(second.shape) / kChannels;
  for (int64_t i = 0; i < NumElements(first.shape); ++i) {
    first.data[static_cast<size_t>(i)] *= static_cast<float>(std::pow(spread, i / kChannels));
  }
  for (int64_t i = 0; i < NumElements(second.shape); ++i) {
    const int64_t in = depthwise ? i / row : i % kChannels;
    second.data[static_cast<size_t>(i)] /= static_cast<float>(std::pow(spread, in));
  }
  const Conv conv = {{1, 1}, {1, 1}, {}, 1};
  const Conv next = depthwise ? Conv{{1, 1}, {1, 1}, {1, 1, 1, 1}, kChannels} : conv;
  const ValueId made = *b.AddNode(conv, {x, *b.AddConstant("w", first)}, "made", "first");
  const ValueId hidden = *b.AddNode(Relu{}, {made}, "hidden", "relu");
  b.AddOutput(*b.AddNode(next, {hidden, *b.AddConstant("v", second)}, "y", "second"));
  return *std::move(b).Build();
}

absl::StatusOr<std::vector<FloatTensor>> Sample(int64_t number) {
  return std::vector{Drawn({1, kChannels, 6, 6}, static_cast<uint32_t>(100 + number))};
}

// dB of the module of 8 bits.
double SqnrOfModule(const Graph& graph) {
  const Calibration calibration = *Calibrate(graph, 16, Sample);
  auto module = LowerToModule(graph, calibration, {});
  const auto plan =
      *MakePlan("reference", std::make_shared<const ValidModule>(*Validate(*std::move(module))), {});
  return MeasureAccuracy(graph, *plan, 8, Sample)->worst_sqnr_db();
}

TEST(ChooseExponents, ChannelsOfOtherSizesShareAGridEvenly) {
  for (const bool depthwise : {true, false}) {
    const Graph graph = Layers(1.7, depthwise);
    const ChannelExponents exponents = *ChooseExponents(graph, 4, Sample);
    ASSERT_EQ(exponents.size(), 1u);
    EXPECT_EQ(exponents.begin()->first, "made");
    const double before = SqnrOfModule(graph), after = SqnrOfModule(*Equalized(graph, exponents));
    EXPECT_GT(after, before + 6) << depthwise;
    EXPECT_GT(after, 33) << depthwise;
  }
}

TEST(ChooseExponents, ChannelsOfOneSizeStay) {
  EXPECT_TRUE(ChooseExponents(Layers(1, false), 4, Sample)->empty());
  EXPECT_TRUE(ChooseExponents(Layers(1, true), 4, Sample)->empty());
}

// The learned scale of an activation: one number for all channels becomes one for each.
TEST(ChooseExponents, ANumberForAllChannelsTakesTheirFactors) {
  for (const Shape& shape : {Shape{}, Shape{1}}) {
    GraphBuilder b("scaled");
    const ValueId x = *b.AddInput("x", {1, kChannels, 6, 6});
    FloatTensor first = Drawn({kChannels, kChannels, 1, 1}, 1), second = Drawn({kChannels, 1, 3, 3}, 2);
    for (size_t i = 0; i < first.data.size(); ++i) first.data[i] *= i < 8 ? 16 : 1;
    const ValueId made =
        *b.AddNode(Conv{{1, 1}, {1, 1}, {}, 1}, {x, *b.AddConstant("w", first)}, "made", "first");
    const ValueId swish = *b.AddNode(Unary{RecipeFunction::kHardSwish, 1.0f / 6, 0.5f}, {made}, "s", "swish");
    const ValueId scaled =
        *b.AddNode(Mul{}, {swish, *b.AddConstant("n", FloatTensor{shape, {1.5f}})}, "scaled", "mul");
    b.AddOutput(*b.AddNode(Conv{{1, 1}, {1, 1}, {1, 1, 1, 1}, kChannels},
                           {scaled, *b.AddConstant("v", second)}, "y", "second"));
    const Graph graph = *std::move(b).Build();
    const ChannelExponents exponents = *ChooseExponents(graph, 4, Sample);
    ASSERT_TRUE(exponents.contains("scaled"));
    const Graph equalized = *Equalized(graph, exponents);
    const std::vector<FloatTensor> sample = *Sample(1);
    EXPECT_EQ(*RunGraph(graph, sample), *RunGraph(equalized, sample));
  }
}

TEST(ChooseExponents, NothingThatIsSeenAsZeroMovesAnything) {
  const auto zeros = [](int64_t) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector{FloatTensor{{1, kChannels, 6, 6}, std::vector<float>(kChannels * 36, 0)}};
  };
  EXPECT_TRUE(ChooseExponents(Layers(3, false), 4, zeros)->empty());
}

}  // namespace
}  // namespace tally::quant
