#include "ops/gas.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

constexpr Interval kI8 = {-1, 1}, kI16 = {0, 255}, kI32 = {0, 1 << 20}, kI64 = {0, int64_t{1} << 40};

TensorType Of(std::initializer_list<int64_t> dims, Interval interval) {
  return {*Shape::Create(dims), interval};
}

WideGas OfResult(std::initializer_list<int64_t> dims, Interval interval) {
  const TensorType results[] = {Of(dims, interval)};
  return GasOfResults(results);
}

TEST(GasOfResults, CountsTheBytesOfTheStorage) {
  EXPECT_EQ(OfResult({6}, kI8), 6 + 8);
  EXPECT_EQ(OfResult({6}, kI16), 2 * 6 + 8);
  EXPECT_EQ(OfResult({6}, kI32), 4 * 6 + 8);
  EXPECT_EQ(OfResult({6}, kI64), 8 * 6 + 8);
}

TEST(GasOfResults, CountsTheRunsOfTheLastAxis) {
  EXPECT_EQ(OfResult({}, kI8), 1 + 8 * 1);
  EXPECT_EQ(OfResult({6}, kI8), 6 + 8 * 1);
  EXPECT_EQ(OfResult({2, 6}, kI8), 12 + 8 * 2);
  EXPECT_EQ(OfResult({6, 1}, kI8), 6 + 8 * 6);
}

// An engine may keep the channels last.
TEST(GasOfResults, CountsTheRunsOfChannelsWhereTheyAreFewer) {
  EXPECT_EQ(OfResult({2, 3, 5}, kI8), 30 + 8 * 10);
  EXPECT_EQ(OfResult({2, 5, 3}, kI8), 30 + 8 * 10);
  EXPECT_EQ(OfResult({7, 3, 2, 5}, kI8), 210 + 8 * 70);
  EXPECT_EQ(OfResult({7, 5, 2, 3}, kI8), 210 + 8 * 70);
  EXPECT_EQ(OfResult({2, 1, 2, 2, 5}, kI8), 40 + 8 * 40);
}

TEST(GasOfResults, AddsAllResults) {
  const TensorType results[] = {Of({2, 3}, kI16), Of({}, kI8)};
  EXPECT_EQ(GasOfResults(results), (12 + 8 * 2) + (1 + 8 * 1));
  EXPECT_EQ(GasOfResults({}), 0);
}

TEST(GasOfResults, OfTheLargestTensorsFits) {
  const TensorType largest = Of({1 << 18, 1 << 18, 1}, kI64);
  const TensorType results[] = {largest, largest};
  EXPECT_EQ(GasOfResults(results), Int128{kMaxElements} * 2 * (8 + 8));
}

TEST(Gas, OfElementsCountsThoseOfEveryResult) {
  const TensorType results[] = {Of({2, 3}, kI8), Of({5}, kI64)};
  const GasContext c = {.results = results};
  EXPECT_EQ(ElementsOfResults(c), 11);
  EXPECT_EQ(GasPerResult<2>(c), 2 * 11);
  EXPECT_EQ(GasPerResult<64>(c), 64 * 11);
}

TEST(Gas, OfElementsCountsThoseOfEveryOperand) {
  const TensorType operands[] = {Of({2, 3}, kI8), Of({}, kI64)}, results[] = {Of({5}, kI8)};
  EXPECT_EQ(ElementsOfOperands({.operands = operands, .results = results}), 7);
  EXPECT_EQ(ElementsOfOperands({.results = results}), 0);
}

TEST(Gas, OfAReductionCountsTheFirstOperandAndTheResult) {
  const TensorType operands[] = {Of({2, 3}, kI8), Of({100}, kI8)}, results[] = {Of({2}, kI8)};
  EXPECT_EQ(GasReduction<12>({.operands = operands, .results = results}), 512 + 12 * 6 + 24 * 2 + 16 * 2);
}

TEST(Gas, NoneIsFree) {
  const TensorType results[] = {Of({100}, kI64)};
  EXPECT_EQ(GasNone({.results = results}), 0);
}

}  // namespace
}  // namespace tally
