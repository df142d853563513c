#include "ops/gas.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

constexpr Interval kI8 = {-1, 1}, kI16 = {0, 255}, kI64 = {0, int64_t{1} << 40};

TensorType Of(std::initializer_list<int64_t> dims, Interval interval) {
  return {*Shape::Create(dims), interval};
}

TEST(Gas, PerResultCountsElementsOfEveryResult) {
  const TensorType results[] = {Of({2, 3}, kI8), Of({5}, kI64)};
  EXPECT_EQ(GasPerResult({.results = results}), 11);
}

TEST(Gas, PerOperandCountsElementsOfTheFirst) {
  const TensorType operands[] = {Of({2, 3}, kI8), Of({100}, kI8)}, results[] = {Of({}, kI8)};
  EXPECT_EQ(GasPerOperand({.operands = operands, .results = results}), 6);
}

TEST(Gas, PerByteCountsTheStorageOfEveryResult) {
  const TensorType results[] = {Of({2, 3}, kI8), Of({2, 3}, kI16), Of({2, 3}, kI64)};
  EXPECT_EQ(GasPerByte({.results = results}), 6 + 12 + 48);
}

TEST(Gas, OfTheLargestTensorsFits) {
  const TensorType largest = Of({1 << 18, 1 << 18}, kI64);
  const TensorType results[] = {largest, largest};
  EXPECT_EQ(GasPerByte({.results = results}), Int128{kMaxElements} * 16);
}

TEST(Gas, NoneIsFree) {
  const TensorType results[] = {Of({100}, kI64)};
  EXPECT_EQ(GasNone({.results = results}), 0);
}

}  // namespace
}  // namespace tally
