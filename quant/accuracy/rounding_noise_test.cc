#include "quant/accuracy/rounding_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engines/engine.h"
#include "quant/accuracy/choose_precision.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

constexpr int64_t kSamples = 8;

absl::StatusOr<std::vector<FloatTensor>> Sample(int64_t i) {
  return std::vector{Random({8, 16}, static_cast<uint32_t>(i), -1, 1)};
}

// Two products, of which the first is read through a move by the second and as it is by a sum.
Graph Block() {
  GraphBuilder b("block");
  const ValueId x = *b.AddInput("x", {8, 16});
  const ValueId w = *b.AddConstant("w", Random({16, 16}, 1, -0.5, 0.5)),
                v = *b.AddConstant("v", Random({16, 16}, 2, -0.5, 0.5));
  const ValueId a = *b.AddNode(Dense{}, {x, w}, "a", "dense");
  const ValueId moved = *b.AddNode(Reshape{{8, 16}}, {a}, "moved", "reshape");
  const ValueId c = *b.AddNode(Dense{}, {moved, v}, "c", "dense");
  b.AddOutput(*b.AddNode(Add{}, {c, a}, "y", "add"));
  return *std::move(b).Build();
}

struct Network {
  Graph graph;
  Calibration calibration;
  LoweredGraph lowered;
};

Network Lower(const Graph& graph, const Widths& widths) {
  Network network = {graph, *Calibrate(graph, kSamples, Sample), {}};
  network.calibration.widths = widths;
  network.lowered = *LowerGraph(graph, network.calibration, {});
  return network;
}

double SqnrOf(const Network& network) {
  auto valid = Validate(Module(network.lowered.module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  const auto plan = *MakePlan("cpu", std::make_shared<const ValidModule>(*std::move(valid)), {});
  return MeasureAccuracy(network.graph, *plan, kSamples, Sample)->worst_sqnr_db();
}

RoundingSources SourcesOf(const Network& network) {
  return SourcesOf(network.graph, network.calibration, network.lowered.values, {});
}

std::vector<OutputNoise> NoiseOf(const Network& network, const RoundingSources& sources) {
  std::vector<std::vector<RoundingSource>> groups;
  for (const RoundingSource& source : sources.list) groups.push_back({source});
  return *MeasureRoundingNoise(network.graph, network.lowered.values, sources, groups, kSamples, Sample);
}

// "c:weights" and so on.
std::string TextOf(const Network& network, const RoundingSource& source) {
  const char* const kinds[] = {":value", ":operands", ":weights"};
  return network.graph.values[source.value].name + kinds[static_cast<int>(source.kind)];
}

TEST(RoundingSources, AreEachGridThatOneReads) {
  const Network network = Lower(Block(), {});
  std::vector<std::string> found;
  for (const RoundingSource& source : SourcesOf(network).list) found.push_back(TextOf(network, source));
  // 'c' is summed, 'a' summed and multiplied, 'x' multiplied alone; 'y' has 16 bits.
  EXPECT_EQ(found, (std::vector<std::string>{"a:operands", "a:weights", "a:value", "c:operands", "c:weights",
                                             "c:value"}));
}

// Indices are whole numbers, whatever the grid of the elements is, and so is what computes with them. Those
// of an input show it, as it has 8 bits, whoever reads it.
TEST(RoundingSources, IndicesHaveNoGrid) {
  GraphBuilder b("indices");
  const ValueId x = *b.AddInput("x", {8, 16});
  const ValueId w = *b.AddConstant("w", Random({16, 16}, 1, -0.5, 0.5));
  b.AddOutput(*b.AddNode(Dense{}, {x, w}, "a", "dense"));
  const ValueId indices = *b.AddNode(TopK{1, 2, false, TopKResult::kIndices}, {x}, "indices", "top_k");
  b.AddOutput(*b.AddNode(ToFloat{}, {indices}, "y", "to_float"));
  const Network network = Lower(*std::move(b).Build(), {});
  const RoundingSources sources = SourcesOf(network);
  const auto root_of = [&](const char* name) {
    const auto& values = network.graph.values;
    return sources.roots[static_cast<size_t>(std::ranges::find(values, name, &Value::name) - values.begin())];
  };
  EXPECT_NE(root_of("x"), kNoValue);
  EXPECT_EQ(root_of("indices"), kNoValue);
  EXPECT_EQ(NoiseOf(network, sources).size(), sources.list.size());
}

TEST(RoundingSources, AreGoneWhenTheyAreWide) {
  const Network before = Lower(Block(), {});
  const RoundingSources sources = SourcesOf(before);
  for (const RoundingSource& source : sources.list) {
    Widths widths;
    AddTo(before.graph, sources, source, widths);
    const Network after = Lower(before.graph, widths);
    EXPECT_GE(SqnrOf(after), SqnrOf(before) - 0.2) << TextOf(before, source);
  }
  Widths all;
  for (const RoundingSource& source : sources.list) AddTo(before.graph, sources, source, all);
  const Network after = Lower(before.graph, all);
  EXPECT_GT(SqnrOf(after), SqnrOf(before) + 20);
  for (const RoundingSource& source : SourcesOf(after).list) {
    EXPECT_EQ(source.kind, RoundingSource::Kind::kWeights)
        << TextOf(after, source);  // which are rounded to some bits
  }
}

// Each rounding alone, by float runs, adds up to what the module of all of them is measured to be.
TEST(RoundingNoise, AddsUpToTheErrorOfTheModule) {
  const Network network = Lower(Block(), {});
  double sum = 0;
  for (const OutputNoise& noise : NoiseOf(network, SourcesOf(network))) {
    EXPECT_GT(noise[0], 0);
    sum += noise[0];
  }
  EXPECT_NEAR(-10 * std::log10(sum), SqnrOf(network), 1);
}

// A rounding is seen by those who read it so: products read 'a' on a grid of their own.
TEST(RoundingNoise, IsOfTheReadersOfItsKind) {
  const Network network = Lower(Block(), {});
  RoundingSources sources = SourcesOf(network);
  const auto of = [&](const std::string& name) {
    for (const RoundingSource& source : sources.list) {
      if (TextOf(network, source) != name) continue;
      const std::vector<std::vector<RoundingSource>> groups = {{source}};
      return (*MeasureRoundingNoise(network.graph, network.lowered.values, sources, groups, kSamples,
                                    Sample))[0][0];
    }
    ADD_FAILURE() << name;
    return 0.0;
  };
  // The sum reads 'a' itself; the product scales its error by the weights, about sqrt(16 / 12) of it.
  EXPECT_NEAR(of("c:operands") / of("a:value"), 16.0 / 12, 0.4);
}

TEST(RoundingNoise, AGroupIsMeasuredTogether) {
  const Network network = Lower(Block(), {});
  const RoundingSources sources = SourcesOf(network);
  const std::vector<std::vector<RoundingSource>> all = {sources.list};
  std::vector<std::pair<int64_t, int64_t>> told;
  const auto together =
      MeasureRoundingNoise(network.graph, network.lowered.values, sources, all, kSamples, Sample,
                           [&](int64_t done, int64_t total) { told.emplace_back(done, total); });
  double sum = 0;
  for (const OutputNoise& noise : NoiseOf(network, sources)) sum += noise[0];
  EXPECT_NEAR(10 * std::log10((*together)[0][0] / sum), 0, 1);
  EXPECT_EQ(told.size(), static_cast<size_t>(kSamples));
  EXPECT_EQ(told.back(), std::pair(kSamples, kSamples));
}

// 8 bits make the smallest elements 0, whose logarithm is no number.
TEST(RoundingNoise, IsBoundedWhereARoundingLeavesNoNumber) {
  GraphBuilder b("log");
  const ValueId x = *b.AddInput("x", {8, 16});
  const ValueId square = *b.AddNode(Mul{}, {x, x}, "square", "mul");
  const ValueId sum = *b.AddNode(Add{}, {square, square}, "sum", "add");
  const ValueId log = *b.AddNode(Unary{RecipeFunction::kLog}, {sum}, "log", "log");
  b.AddOutput(*b.AddNode(Add{}, {log, log}, "y", "add"));
  const Network network = Lower(*std::move(b).Build(), {});
  const std::vector<OutputNoise> noise = NoiseOf(network, SourcesOf(network));
  EXPECT_EQ(std::ranges::count(noise, OutputNoise{kMostNoise}), 3);  // 'x', 'square', 'sum'
  const Samples samples = {kSamples, Sample};
  const auto choice =
      ChoosePrecision(network.graph, network.calibration, {}, {.sqnr_db = 30}, samples, samples);
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_GE(choice->sqnr_after, 30);
}

TEST(RoundingNoise, RefusesSamplesThatAreNone) {
  const Network network = Lower(Block(), {});
  const auto infinite = [](int64_t) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector{FloatTensor{{8, 16}, std::vector<float>(128, INFINITY)}};
  };
  const auto noise =
      MeasureRoundingNoise(network.graph, network.lowered.values, SourcesOf(network), {}, 1, infinite);
  EXPECT_EQ(ErrorLabel(noise.status()), "calibration_not_finite");
}

}  // namespace
}  // namespace tally::quant
