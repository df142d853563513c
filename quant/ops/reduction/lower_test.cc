// Lowered modules against the float graph they came from: family reduction.
#include <gtest/gtest.h>

#include <vector>

#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

double SqnrOf(const Op& op, const Shape& shape) {
  return MeasureLowered(OneNode(op, {shape})).error.sqnr_db();
}

TEST(LowerReduction, SumsAndMeansOverAnyAxes) {
  for (const bool is_mean : {false, true}) {
    for (const bool keep : {false, true}) {
      EXPECT_GT(SqnrOf(ReduceSum{{1}, keep, is_mean}, {2, 17, 8}), 40);
      EXPECT_GT(SqnrOf(ReduceSum{{0, 2}, keep, is_mean}, {2, 8, 17}), 40);
      EXPECT_GT(SqnrOf(ReduceSum{{0, 1}, keep, is_mean}, {9, 7}), 40);
    }
  }
}

TEST(LowerReduction, ManyTermsOfAGridWithAZeroPointFarFromZero) {
  // The zero points of 2^17 terms of 8 bits.
  const Graph graph = OneNode(ReduceSum{{0}, false, true}, {{1 << 17}});
  EXPECT_GT(MeasureLowered(graph, {.low = 2, .high = 3}).error.sqnr_db(), 40);
}

TEST(LowerReduction, ExtremesAreExactOnTheGrid) {
  for (const bool is_min : {false, true}) {
    const OutputAccuracy accuracy =
        MeasureLowered(OneNode(ReduceExtreme{{1, 2}, false, is_min}, {{4, 3, 5}}));
    EXPECT_LE(accuracy.error.largest() / accuracy.step, 0.5 + 1e-4);
  }
}

TEST(LowerIntegers, ReductionsAreExact) {
  const std::vector<Value> x = {IntegersIn({3, 4, 5}, {-6, 9})};
  for (const bool keep : {false, true}) {
    EXPECT_EQ(LargestError(ReduceSum{{0, 2}, keep}, x), 0);
    EXPECT_EQ(LargestError(ReduceProduct{{1}, keep}, x), 0);
    EXPECT_EQ(LargestError(ArgExtreme{.axis = 2, .keep_dimension = keep, .takes_last = true}, x), 0);
    for (const bool is_min : {false, true})
      EXPECT_EQ(LargestError(ReduceExtreme{{1, 2}, keep, is_min}, x), 0);
  }
}

}  // namespace
}  // namespace tally::quant
