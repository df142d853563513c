// Lowered modules against the float graph they came from: family random.
#include <gtest/gtest.h>

#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

Graph Drawn(const RandomIntegers& op, bool looked_up) {
  GraphBuilder b("one");
  // A graph has an input; the result reads it, so that calibration has something to run on.
  const ValueId x = *b.AddInput({"x", {ElementType::kInt64, op.shape}, kGraphInput, Interval{-3, 3}});
  ValueId y = *b.AddNode(op, {}, "drawn", "drawn");
  y = *b.AddNode(IntegerArithmetic{IntegerArithmetic::Kind::kAdd}, {x, y}, "sum", "sum");
  if (looked_up) y = *b.AddNode(ToFloat{}, {y}, "float", "float");
  b.AddOutput(y);
  return *std::move(b).Build();
}

TEST(LowerRandom, IntegersAreThoseOfTheDefinition) {
  for (const RandomIntegers& op :
       {RandomIntegers{{40, 7}, 0, 0, 0, 1}, RandomIntegers{{300}, kMostSeed, kMostSeed, -1000, 99999},
        RandomIntegers{{5}, 9, 2, 4, 4}}) {
    EXPECT_EQ(MeasureLowered(Drawn(op, false)).error.largest(), 0);
  }
  EXPECT_GT(MeasureLowered(Drawn({{200}, 1, 2, 0, 100}, true)).error.sqnr_db(), 40);
}

// The weights are rounded to codes, so a draw beside a border may be of the neighbour.
TEST(LowerRandom, PlacesAreThoseOfTheDefinitionUpToTheWeightsRounding) {
  const RandomCategorical op = {.samples = 100, .seed = 3, .layer = 1};
  const Graph graph = OneNode(op, {{4, 6}});
  const OutputAccuracy accuracy = MeasureLowered(graph, {.low = 0, .high = 3});
  EXPECT_GT(accuracy.error.sqnr_db(), 25);
}

}  // namespace
}  // namespace tally::quant
