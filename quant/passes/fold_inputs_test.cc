#include "quant/passes/fold_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

const InputMeaning kImageNet = {.name = "x0",
                                .scale = {1, 255},
                                .interval = {0, 255},
                                .mean = {{485, 1000}, {456, 1000}, {406, 1000}},
                                .std = {{229, 1000}, {224, 1000}, {225, 1000}}};
const InputMeaning kHalves = {
    .name = "x0", .scale = {1, 255}, .interval = {0, 255}, .mean = {{1, 2}}, .std = {{1, 2}}};

double ValueOf(const std::vector<Rational>& list, int64_t channel, double none) {
  if (list.empty()) return none;
  const Rational& x = list[list.size() == 1 ? 0 : static_cast<size_t>(channel)];
  return static_cast<double>(x.numerator) / static_cast<double>(x.denominator);
}

struct Sample {
  FloatTensor reals, folded;  // the reals that the network reads, and those that the folded one does
};

// Random pixels, by the definition of their meaning.
Sample SampleOf(const InputMeaning& meaning, const FoldedInput& input, const Shape& shape) {
  const FloatTensor drawn = Random(shape, 5, static_cast<double>(meaning.interval.lo),
                                   static_cast<double>(meaning.interval.hi) + 1);
  const int64_t channels = shape.size() < 2 ? 1 : shape[1];
  const int64_t inner = NumElements(shape) / (channels * (shape.size() < 2 ? 1 : shape[0]));
  Sample sample = {{shape, {}}, {shape, {}}};
  for (int64_t i = 0; i < NumElements(shape); ++i) {
    const int64_t channel = i / inner % channels;
    const double pixel = std::floor(drawn.data[static_cast<size_t>(i)]);
    const double scale =
        static_cast<double>(meaning.scale.numerator) / static_cast<double>(meaning.scale.denominator);
    const double real =
        (scale * (pixel - static_cast<double>(meaning.zero_point)) - ValueOf(meaning.mean, channel, 0)) /
        ValueOf(meaning.std, channel, 1);
    sample.reals.data.push_back(static_cast<float>(real));
    const QuantizedType& type = input.format.type;
    sample.folded.data.push_back(
        static_cast<float>(type.scale * (pixel - static_cast<double>(type.zero_point))));
    const size_t c = input.factor.size() == 1 ? 0 : static_cast<size_t>(channel);
    EXPECT_NEAR(input.factor[c] * real + input.offset[c], sample.folded.data.back(), 1e-3);
  }
  return sample;
}

int Count(const Graph& graph, std::string_view op) {
  return static_cast<int>(
      std::ranges::count_if(graph.nodes, [&](const Node& node) { return OpName(node.op) == op; }));
}

// Folds, and expects the outputs of the network on random pixels.
FoldedGraph FoldAndCompare(const Graph& graph, const InputMeaning& meaning) {
  auto folded = FoldInputs(graph, {meaning});
  EXPECT_TRUE(folded.ok()) << folded.status();
  EXPECT_TRUE(Verify(folded->graph).ok()) << Verify(folded->graph);
  const Sample sample = SampleOf(meaning, folded->inputs[0], graph.values[graph.inputs[0]].type.shape);
  const auto before = std::get<FloatTensor>((*RunGraph(graph, std::vector{sample.reals}))[0]);
  const auto after = std::get<FloatTensor>((*RunGraph(folded->graph, std::vector{sample.folded}))[0]);
  EXPECT_EQ(before.shape, after.shape);
  double largest = 0;
  for (const float x : before.data) largest = std::max(largest, std::abs(double{x}));
  for (size_t i = 0; i < before.data.size(); ++i) {
    EXPECT_NEAR(before.data[i], after.data[i], 2e-6 * largest) << i;
  }
  return *std::move(folded);
}

Graph ConvOf(const Conv& conv, int64_t weight_channels, bool has_bias = true) {
  std::vector<FloatTensor> constants = {Random({6, weight_channels, 3, 3}, 1, -1, 1)};
  if (has_bias) constants.push_back(Random({6}, 2, -1, 1));
  return OneNode(conv, {{1, 3, 9, 7}}, constants);
}

TEST(FoldInputs, AGridOfTheModuleFoldsNothing) {
  const Graph graph = ConvOf({.pad = {1, 1, 1, 1}}, 3);
  const FoldedGraph folded =
      FoldAndCompare(graph, {.name = "x0", .scale = {1, 16}, .zero_point = 3, .interval = {0, 16}});
  EXPECT_EQ(folded.inputs[0].into, FoldedInto::kGrid);
  EXPECT_FALSE(folded.inputs[0].format.as_integers);
  EXPECT_EQ(folded.inputs[0].format.type, (QuantizedType{1.0 / 16, 3, {0, 16}}));
  EXPECT_EQ(folded.graph.nodes.size(), graph.nodes.size());
}

TEST(FoldInputs, ConvolutionsWithoutPadsTakeAll) {
  const FoldedGraph folded = FoldAndCompare(ConvOf({}, 3), kImageNet);
  EXPECT_EQ(folded.inputs[0].into, FoldedInto::kLayers);
  EXPECT_TRUE(folded.inputs[0].format.as_integers);
  // 255 (0.485 + 0.456 + 0.406) / 3
  EXPECT_EQ(folded.inputs[0].format.type, (QuantizedType{1, 114, {0, 255}}));
  EXPECT_EQ(Count(folded.graph, "Conv"), 1);
  EXPECT_EQ(folded.graph.nodes.size(), 3u);
  FoldAndCompare(ConvOf({}, 3, /*has_bias=*/false), kImageNet);
  FoldAndCompare(OneNode(Conv{.groups = 3}, {{2, 3, 5, 5}}, {Random({6, 1, 2, 2}, 1, -1, 1)}), kImageNet);
}

TEST(FoldInputs, WhereAConvolutionPadsAConstantChannelCarriesTheMeans) {
  const FoldedGraph folded = FoldAndCompare(ConvOf({.stride = {2, 2}, .pad = {1, 2, 3, 0}}, 3), kImageNet);
  EXPECT_EQ(folded.inputs[0].into, FoldedInto::kLayers);
  EXPECT_EQ(Count(folded.graph, "AppendChannel"), 1);
  EXPECT_EQ(Count(folded.graph, "Conv"), 1);
  // Its weights do not stretch the scales of the others.
  for (const Node& node : folded.graph.nodes) {
    if (!std::holds_alternative<Conv>(node.op)) continue;
    const auto& weight = std::get<FloatTensor>(*ConstantOf(folded.graph, node.operands[1]));
    for (size_t oc = 0; oc < 6; ++oc) {
      const auto first = weight.data.begin() + static_cast<ptrdiff_t>(oc * 36);
      const auto abs_less = [](float a, float b) { return std::abs(a) < std::abs(b); };
      EXPECT_LE(std::abs(*std::max_element(first + 27, first + 36, abs_less)),
                std::abs(*std::max_element(first, first + 27, abs_less)));
    }
  }
  FoldAndCompare(ConvOf({.pad = {1, 1, 1, 1}}, 3), kHalves);
}

TEST(FoldInputs, WhereRealZeroIsAnIntegerPadsAreThatInteger) {
  const InputMeaning centered = {
      .name = "x0", .scale = {1, 127}, .zero_point = 128, .interval = {0, 255}, .std = {{1, 3}}};
  const FoldedGraph folded = FoldAndCompare(ConvOf({.pad = {1, 1, 1, 1}}, 3), centered);
  EXPECT_EQ(folded.inputs[0].into, FoldedInto::kLayers);
  EXPECT_EQ(folded.inputs[0].format.type.zero_point, 128);
  EXPECT_EQ(Count(folded.graph, "AppendChannel"), 0);
}

TEST(FoldInputs, DenseLayersTakeAll) {
  const Graph dense = OneNode(Dense{}, {{2, 3}}, {Random({4, 3}, 1, -1, 1), Random({4}, 2, -1, 1)});
  EXPECT_EQ(FoldAndCompare(dense, kImageNet).inputs[0].into, FoldedInto::kLayers);
  EXPECT_EQ(FoldAndCompare(dense, kHalves).inputs[0].into, FoldedInto::kLayers);
}

TEST(FoldInputs, OtherReadersGetALayerThatConverts) {
  const FoldedGraph pool =
      FoldAndCompare(OneNode(MaxPool{.kernel = {2, 2}, .stride = {2, 2}}, {{2, 3, 4, 4}}), kImageNet);
  EXPECT_EQ(pool.inputs[0].into, FoldedInto::kOwnLayer);
  EXPECT_EQ(pool.inputs[0].why, "the node");
  EXPECT_EQ(FoldAndCompare(OneNode(Relu{}, {{7}}), kHalves).inputs[0].into, FoldedInto::kOwnLayer);
  EXPECT_EQ(FoldAndCompare(OneNode(MatMul{}, {{4, 3}}, {Random({3, 2}, 1)}), kImageNet).inputs[0].into,
            FoldedInto::kOwnLayer);
  // Groups leave no room for a constant channel.
  const Graph depthwise =
      OneNode(Conv{.pad = {1, 1, 1, 1}, .groups = 3}, {{1, 3, 5, 5}}, {Random({3, 1, 3, 3}, 1)});
  EXPECT_EQ(FoldAndCompare(depthwise, kImageNet).inputs[0].into, FoldedInto::kOwnLayer);
  // Each of two readers must take it.
  GraphBuilder b("two");
  const ValueId x = *b.AddInput("x0", {1, 3, 3, 3});
  const ValueId w = *b.AddConstant("w", Random({3, 3, 1, 1}, 1, -1, 1));
  const ValueId conv = *b.AddNode(Conv{}, {x, w}, "conv", "conv");
  b.AddOutput(*b.AddNode(Add{}, {conv, x}, "sum", "the sum"));
  const FoldedGraph two = FoldAndCompare(*std::move(b).Build(), kImageNet);
  EXPECT_EQ(two.inputs[0].why, "the sum");
}

TEST(FoldInputs, WeightsAreRoundedOnce) {
  // 3 / 10 of a weight of 1: the nearest float to 0.3, which 3 * 0.1f is not.
  const Graph graph = OneNode(Dense{}, {{1, 1}}, {FloatTensor{{1, 1}, {1}}});
  const auto folded =
      FoldInputs(graph, {{.name = "x0", .scale = {3, 10}, .zero_point = 1, .interval = {0, 3}}});
  ASSERT_TRUE(folded.ok()) << folded.status();
  const Node& node = folded->graph.nodes.back();
  EXPECT_EQ(std::get<FloatTensor>(*ConstantOf(folded->graph, node.operands[1])).data[0], 0.3f);
  // A tie, and what is just above it.
  const auto first_weight = [&](int64_t numerator, int64_t denominator) {
    const auto made = FoldInputs(
        graph, {{.name = "x0", .scale = {numerator, denominator}, .interval = {0, 3}, .mean = {{1, 3}}}});
    return std::get<FloatTensor>(*ConstantOf(made->graph, made->graph.nodes.back().operands[1])).data[0];
  };
  EXPECT_EQ(first_weight((1 << 25) + 2, 1 << 25), 1.0f);
  EXPECT_EQ(first_weight((int64_t{1} << 50) + (1 << 26) + 1, int64_t{1} << 50), 1.0f + 0x1p-23f);
}

TEST(FoldInputs, ModulesAreServedPixels) {
  for (const Pads pad : {Pads{}, Pads{1, 1, 1, 1}}) {
    const auto folded = FoldInputs(ConvOf({.pad = pad}, 3), {kImageNet});
    ASSERT_TRUE(folded.ok()) << folded.status();
    const LoweredSamples samples = {.low = -114, .high = 141, .options = {{folded->inputs[0].format}}};
    EXPECT_GT(MeasureLowered(folded->graph, samples).error.sqnr_db(), 40);
  }
}

TEST(FoldInputs, IntegersBesideStayIntegers) {
  GraphBuilder b("both");
  const ValueId x = *b.AddInput("x0", {1, 3, 5, 5});
  const Value ids{"ids", {ElementType::kInt64, {2}}, kGraphInput, Interval{0, 6}};
  b.AddOutput(*b.AddNode(Relu{}, {x}, "relu", "relu"));
  b.AddOutput(*b.AddInput(ids));
  const auto folded = FoldInputs(*std::move(b).Build(), {kImageNet});
  ASSERT_TRUE(folded.ok()) << folded.status();
  const Value& kept = folded->graph.values[folded->graph.inputs[1]];
  EXPECT_EQ(kept.type, ids.type);
  EXPECT_EQ(kept.interval, ids.interval);
}

TEST(FoldInputs, LowerInput_MeaningsThatNoInputCanHave) {
  const Graph graph = ConvOf({}, 3);
  const auto label_of = [&](const InputMeaning& meaning) {
    return ErrorLabel(FoldInputs(graph, {meaning}).status());
  };
  const InputMeaning good = kImageNet;
  InputMeaning bad = good;
  bad.name = "other";
  EXPECT_EQ(label_of(bad), "lower_input");
  bad = good;
  bad.scale = {0, 1};
  EXPECT_EQ(label_of(bad), "lower_input");
  bad = good;
  bad.std[1] = {0, 1};
  EXPECT_EQ(label_of(bad), "lower_input");
  bad = good;
  bad.mean.pop_back();
  EXPECT_EQ(label_of(bad), "lower_input");
  bad = good;
  bad.mean.pop_back();
  bad.std.pop_back();
  EXPECT_EQ(label_of(bad), "lower_input");
  bad = good;
  bad.interval = {1, 0};
  EXPECT_EQ(label_of(bad), "lower_input");
  bad = good;
  bad.std = {{1, int64_t{1} << 62}};
  bad.scale = {int64_t{1} << 62, 1};
  bad.mean = {};
  EXPECT_EQ(label_of(bad), "");  // 2^124
  EXPECT_EQ(ErrorLabel(FoldInputs(graph, {good, good}).status()), "lower_input");
}

}  // namespace
}  // namespace tally::quant
