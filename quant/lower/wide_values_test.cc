// Which values take 16 bits without being named.
#include "quant/lower/wide_values.h"

#include <gtest/gtest.h>

#include "quant/graph/graph_builder.h"
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

}  // namespace
}  // namespace tally::quant
