// Which values take 16 bits without being named.
#include "quant/lower/wide_values.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tally::quant
