// Which values take 16 bits without being named.
#include "quant/lower/wide_values.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "quant/graph/graph_builder.h"
#include "quant/lower/lower.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

// softmax(op(x y, constant)).
Graph Scores(const Op& op, const FloatTensor& constant) {
  GraphBuilder b("scores");
  const ValueId x = *b.AddInput("x", {8, 16}), y = *b.AddInput("y", {16, 8});
  const ValueId product = *b.AddNode(MatMul{}, {x, y}, "product", "product");
  const ValueId scores = *b.AddNode(op, {product, *b.AddConstant("c", constant)}, "scores", "scores");
  b.AddOutput(*b.AddNode(Softmax{1}, {scores}, "probabilities", "softmax"));
  return *std::move(b).Build();
}

bool IsWide(const Graph& graph, const std::string& name) {
  const std::vector<bool> wide = WideValues(graph, {});
  for (size_t id = 0; id < wide.size(); ++id) {
    if (graph.values[id].name == name) return wide[id];
  }
  ADD_FAILURE() << name;
  return false;
}

TEST(WideValues, ScoresAreWideInFrontOfTheirFactorToo) {
  for (const Graph& graph : {Scores(Mul{}, {{1}, {0.25f}}), Scores(Div{}, {{}, {4}})}) {
    EXPECT_TRUE(IsWide(graph, "scores"));
    EXPECT_TRUE(IsWide(graph, "product"));
    EXPECT_FALSE(IsWide(graph, "x"));
  }
}

TEST(WideValues, WhatChangesElementsOneByOneDoesNotAskForMore) {
  EXPECT_FALSE(IsWide(Scores(Add{}, {{1}, {0.25f}}), "product"));
  EXPECT_FALSE(IsWide(Scores(Mul{}, Random({8}, 1)), "product"));
}

// The step of value "y", which is given 16 bits, in the module of x -> op -> tanh.
double StepOfWide(const Range& range, const Op& op = Slopes{-1, 1}) {
  GraphBuilder b("wide");
  const ValueId x = *b.AddInput("x", {4});
  const ValueId y = *b.AddNode(op, {x}, "y", "y");
  b.AddOutput(*b.AddNode(Unary{RecipeFunction::kTanh}, {y}, "z", "z"));
  const Graph graph = *std::move(b).Build();
  Calibration calibration{1, {{"x", {-4, 4, 4}}, {"y", range}, {"z", {0, 2, 4}}}};
  calibration.widths.values = {"y"};
  const auto lowered = LowerGraph(graph, calibration, {});
  EXPECT_TRUE(lowered.ok()) << lowered.status();
  return lowered.ok() ? lowered->values[y]->type.scale : 0;
}

TEST(WideValues, HaveRoomForWhatASampleOfManyMayHold) {
  const double seen = StepOfWide({0, 4, 4});
  EXPECT_NEAR(seen, 8.0 / 65535, 1e-6);
  EXPECT_NEAR(StepOfWide({0, 4, 4, Reach{0, 4}}), seen, 1e-9);
  EXPECT_NEAR(StepOfWide({0, 4, 4, Reach{0, 12}}), 3 * seen, 1e-8);
}

TEST(WideValues, ResultsOfBoundedFunctionsTakeTheWholeOfTheirRange) {
  const Op sigmoid = Unary{RecipeFunction::kSigmoid};
  EXPECT_NEAR(StepOfWide({0.1f, 0.3f, 4, Reach{0, 0.4f}}, sigmoid), 1.0 / 65535, 1e-7);
  EXPECT_NEAR(StepOfWide({0.1f, 0.3f, 4}, sigmoid), 0.6 / 65535, 1e-7) << "a range that was set by hand";
}

// Dense -> 4 x -> sigmoid, whose results are those of the network or read again.
Graph Logits(bool read_again) {
  GraphBuilder b("logits");
  const ValueId x = *b.AddInput("x", {1, 4});
  const ValueId weights = *b.AddConstant("w", Random({2, 4}, 1));
  const ValueId y = *b.AddNode(Dense{}, {x, weights}, "y", "dense");
  const ValueId logits = *b.AddNode(Mul{}, {y, *b.AddConstant("c", FloatTensor{{1}, {4}})}, "logits", "mul");
  ValueId score = *b.AddNode(Unary{RecipeFunction::kSigmoid}, {logits}, "score", "sigmoid");
  if (read_again) score = *b.AddNode(Mul{}, {score, score}, "square", "mul");
  b.AddOutput(score);
  return *std::move(b).Build();
}

TEST(WideValues, LogitsOfResultsAreWide) {
  for (const char* name : {"y", "logits"}) {
    EXPECT_TRUE(IsWide(Logits(false), name)) << name;
    EXPECT_FALSE(IsWide(Logits(true), name)) << name;
  }
}

// The types of "logits" and "score", of samples that all said no.
std::vector<QuantizedType> TypesOfLow(std::optional<Reach> reach) {
  const Graph graph = Logits(false);
  Calibration calibration{4, {{"x", {-1, 1, 4}}, {"y", {-2, -1, 4}}, {"logits", {-8, -4, 4}}}};
  calibration.values["score"] = {0.0003f, 0.018f, 4};
  for (auto& [name, range] : calibration.values) range.reach = reach;
  const auto lowered = LowerGraph(graph, calibration, {});
  EXPECT_TRUE(lowered.ok()) << lowered.status();
  std::vector<QuantizedType> types;
  for (size_t id = 0; lowered.ok() && id < graph.values.size(); ++id) {
    const std::string& name = graph.values[id].name;
    if (name == "logits" || name == "score") types.push_back(lowered->values[id]->type);
  }
  return types;
}

TEST(WideValues, AScoreThatNoSampleHadIsNotClipped) {
  const auto highest = [](const QuantizedType& type) {
    return static_cast<double>(type.interval.hi - type.zero_point) * type.scale;
  };
  const auto types = TypesOfLow(Reach{-8, 0.02f});
  ASSERT_EQ(types.size(), 2u);
  EXPECT_NEAR(highest(types[0]), 12, 1e-3);
  EXPECT_NEAR(highest(types[1]), 1, 1e-5);
  EXPECT_NEAR(types[1].scale, 0x1p-20, 1e-9);  // as many codes as a result of 16 bits has with its room
  const auto by_hand = TypesOfLow(std::nullopt);
  ASSERT_EQ(by_hand.size(), 2u);
  EXPECT_NEAR(highest(by_hand[0]), 0, 1e-3);
  EXPECT_LT(highest(by_hand[1]), 0.3);
}

}  // namespace
}  // namespace tally::quant
