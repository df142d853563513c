#include "quant/passes/bound_inputs.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

// Rows of a table at ids, which are turned first.
Graph Embedding(std::optional<Interval> known = {}) {
  GraphBuilder b("embedding");
  const ValueId ids = *b.AddInput(Value{"ids", {ElementType::kInt64, {2, 3}}, kGraphInput, known});
  const ValueId turned = *b.AddNode(Transpose{{1, 0}}, {ids}, "turned", "node 0");
  const ValueId table = *b.AddConstant("table", FloatTensor{{4, 1}, {10, 11, 12, 13}});
  b.AddOutput(*b.AddNode(Gather{0}, {table, turned}, "y", "node 1"));
  return *std::move(b).Build();
}

TEST(BoundInputs, IdsArePlacesOfTheirTable) {
  const Graph bounded = *BoundInputs(Embedding());
  EXPECT_EQ(bounded.values[0].interval, (Interval{0, 3}));
  EXPECT_TRUE(Verify(bounded).ok());
  const std::vector<FloatTensor> ids = {{{2, 3}, {0, 1, 2, 3, 0, 1}}};
  EXPECT_EQ(std::get<FloatTensor>(RunGraph(bounded, ids)->at(0)).data,
            (std::vector<float>{10, 13, 11, 10, 12, 11}));
}

TEST(BoundInputs, WhatIsKnownOfAnInputStays) {
  EXPECT_EQ(BoundInputs(Embedding(Interval{0, 1}))->values[0].interval, (Interval{0, 1}));
  EXPECT_EQ(BoundInputs(Embedding(Interval{-5, 9}))->values[0].interval, (Interval{0, 3}));
}

TEST(BoundInputs, SamplesOutsideAreRefused) {
  const Graph bounded = *BoundInputs(Embedding());
  for (const float id : {4.0f, -1.0f, 0.5f}) {
    const std::vector<FloatTensor> ids = {{{2, 3}, {0, 1, 2, 3, 0, id}}};
    EXPECT_EQ(ErrorLabel(RunGraph(bounded, ids).status()), "graph_run_inputs") << id;
  }
}

TEST(BoundInputs, OtherIntegersAreFree) {
  GraphBuilder b("cast");
  const ValueId x = *b.AddInput(Value{"x", {ElementType::kInt64, {2}}});
  b.AddOutput(*b.AddNode(ToFloat{}, {x}, "y", "node 0"));
  EXPECT_EQ(BoundInputs(*std::move(b).Build())->values[0].interval, std::nullopt);
}

// The axis of GatherElements bounds its indices; the places of what it chooses bound the data and not the
// indices.
TEST(BoundInputs, IndicesOfElementsArePlacesOfTheirAxis) {
  GraphBuilder b("elements");
  const ValueId data = *b.AddInput(Value{"data", {ElementType::kInt64, {2, 9}}});
  const ValueId places = *b.AddInput(Value{"places", {ElementType::kInt64, {2, 3}}});
  const ValueId tuples = *b.AddInput(Value{"tuples", {ElementType::kInt64, {3, 2}}});
  const ValueId chosen = *b.AddNode(GatherElements{1}, {data, places}, "chosen", "node 0");
  const ValueId ids = *b.AddNode(GatherNd{}, {chosen, tuples}, "ids", "node 1");
  const ValueId table = *b.AddConstant("table", FloatTensor{{4, 1}, {10, 11, 12, 13}});
  b.AddOutput(*b.AddNode(Gather{0}, {table, ids}, "y", "node 2"));
  const Graph bounded = *BoundInputs(*std::move(b).Build());
  EXPECT_EQ(bounded.values[0].interval, (Interval{0, 3}));
  EXPECT_EQ(bounded.values[1].interval, (Interval{0, 8}));
  EXPECT_EQ(bounded.values[2].interval, std::nullopt);
}

}  // namespace
}  // namespace tally::quant
