// Lowered modules against the float graph they came from: family gather.
#include <gtest/gtest.h>

#include <vector>

#include "quant/calibrate/calibrate.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

TEST(LowerGather, TakesWhatTheIndicesName) {
  GraphBuilder b("gather");
  const ValueId x = *b.AddInput("x", {3, 4, 2});
  const ValueId indices = *b.AddConstant("i", Int64Tensor{{2, 2}, {3, -4, 0, -1}});
  b.AddOutput(*b.AddNode(Gather{1}, {x, indices}, "y", "gather"));
  const OutputAccuracy output = MeasureLowered(*std::move(b).Build());
  EXPECT_LE(output.error.largest() / output.step, 0.5 + 1e-4);
}

// The indices, updates and x of each form; some indices are outside.
std::vector<Value> ScatterInputs(Scatter::Form form, bool is_float) {
  const auto values = [&](const Shape& shape) {
    return is_float ? FloatsOf(shape) : IntegersIn(shape, {-20, 30});
  };
  switch (form) {
    case Scatter::Form::kSlices:
      return {values({4, 5, 3}), IntegersIn({2, 2}, {-6, 6}), values({4, 2, 2, 3})};
    case Scatter::Form::kElements:
      return {values({4, 5, 3}), IntegersIn({3, 9, 2}, {-6, 6}), values({3, 9, 2})};
    case Scatter::Form::kTuples: break;
  }
  return {values({4, 5, 3}), IntegersIn({7, 2}, {-6, 5}), values({7, 3})};
}

TEST(LowerScatter, OfIntegersIsExact) {
  for (const auto form : {Scatter::Form::kSlices, Scatter::Form::kElements, Scatter::Form::kTuples}) {
    for (const ScatterKind kind :
         {ScatterKind::kUpdate, ScatterKind::kAdd, ScatterKind::kSub, ScatterKind::kMax, ScatterKind::kMin}) {
      EXPECT_EQ(LargestError(Scatter{form, 1, kind}, ScatterInputs(form, false)), 0)
          << static_cast<int>(form) << " " << static_cast<int>(kind);
    }
  }
  const std::vector<Value> few = {IntegersIn({5}, {-3, 4}), IntegersIn({4}, {-6, 6}),
                                  IntegersIn({4}, {-5, 5})};
  EXPECT_EQ(LargestError(Scatter{Scatter::Form::kElements, 0, ScatterKind::kMul}, few), 0);
}

TEST(LowerScatter, OfFloatsRoundsOnce) {
  for (const auto form : {Scatter::Form::kSlices, Scatter::Form::kElements, Scatter::Form::kTuples}) {
    for (const ScatterKind kind :
         {ScatterKind::kUpdate, ScatterKind::kAdd, ScatterKind::kSub, ScatterKind::kMax, ScatterKind::kMin}) {
      const OutputAccuracy accuracy =
          MeasureLowered(GraphOf(Scatter{form, 1, kind}, ScatterInputs(form, true)));
      EXPECT_GT(accuracy.error.sqnr_db(), 35) << static_cast<int>(form) << " " << static_cast<int>(kind);
    }
  }
}

Value Ids(const Shape& shape, const Interval& interval) {
  return {"ids", {ElementType::kInt64, shape}, kGraphInput, interval};
}

// `op` of floats of `shape` and of ids.
Graph Chosen(const Op& op, const Shape& shape, const Value& ids) {
  GraphBuilder b("chosen");
  const ValueId x = *b.AddInput("x", shape), places = *b.AddInput(ids);
  b.AddOutput(*b.AddNode(op, {x, places}, "y", "gather"));
  return *std::move(b).Build();
}

TEST(LowerSelection, ChoosesElementsByComputedIndices) {
  const auto is_exact = [](const Graph& graph) {
    const OutputAccuracy accuracy = MeasureLowered(graph);
    return accuracy.error.largest() <= accuracy.step * (0.5 + 1e-4);
  };
  EXPECT_TRUE(is_exact(Chosen(GatherElements{1}, {4, 9}, Ids({3, 5}, {-9, 8}))));
  EXPECT_TRUE(is_exact(Chosen(GatherElements{0}, {4, 9}, Ids({6, 9}, {0, 3}))));
  EXPECT_TRUE(is_exact(Chosen(GatherNd{}, {4, 9, 2}, Ids({7, 2}, {-4, 3}))));
  EXPECT_TRUE(is_exact(Chosen(GatherNd{1}, {4, 9, 2}, Ids({4, 5, 1}, {0, 8}))));
}

}  // namespace
}  // namespace tally::quant
