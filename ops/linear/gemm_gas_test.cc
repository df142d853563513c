#include <gtest/gtest.h>

#include "ops/linear/attrs.h"
#include "ops/linear/rules.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

constexpr Interval kI8 = {-1, 1}, kI16 = {0, 255}, kI32 = {0, 1 << 20}, kI64 = {0, int64_t{1} << 40};

TensorType Of(std::initializer_list<int64_t> dims, Interval interval = kI8) {
  return {*Shape::Create(dims), interval};
}

// The gas of a product whose x has one element.
WideGas OfSums(const GemmWork& work, Interval x = kI8, Interval w = kI8) {
  const TensorType operands[] = {Of({}, x), Of({}, w)};
  return GasOfGemm({.operands = operands}, work);
}

WideGas OfConvolution(const TensorType& x, const TensorType& w, const TensorType& y) {
  const TensorType operands[] = {x, w}, results[] = {y};
  return GasWeightedSums({.operands = operands, .results = results});
}

TEST(GasOfGemm, ChargesFactorsOfAnyWidthAlike) {
  const GemmWork work = {.rows = 3, .columns = 20, .groups = 1, .terms = 5};
  const int64_t sums = 20 * 3 * 20 * (5 + 16);
  EXPECT_EQ(OfSums(work, kI8, kI8), 1 + 16 + 512 + sums);
  EXPECT_EQ(OfSums(work, kI8, kI16), 1 + 16 * 2 + 512 + sums);
  EXPECT_EQ(OfSums(work, kI16, kI8), 2 + 16 + 512 + sums);
  EXPECT_EQ(OfSums(work, kI32, kI16), 4 + 16 * 2 + 512 + sums);
  EXPECT_EQ(OfSums(work, kI8, kI64), 1 + 16 * 8 + 512 + sums);
}

TEST(GasOfGemm, ChargesAtLeast16Columns) {
  const auto gas = [](int64_t columns) {
    return OfSums({.rows = 3, .columns = columns, .groups = 1, .terms = 5});
  };
  EXPECT_EQ(gas(1), gas(16));
  EXPECT_EQ(gas(17) - gas(16), 20 * 3 * (5 + 16));
}

TEST(GasOfGemm, ChargesEachGroupForItsColumns) {
  EXPECT_EQ(OfSums({.rows = 3, .columns = 40, .groups = 2, .terms = 5}),
            1 + 16 + 2 * (512 + 20 * 3 * 20 * (5 + 16)));
  EXPECT_EQ(OfSums({.rows = 3, .columns = 4, .groups = 4, .terms = 5}),
            1 + 16 + 4 * (512 + 20 * 3 * 16 * (5 + 16)));
}

TEST(GasOfGemm, ChargesTheTermsThatEachLineGathers) {
  EXPECT_EQ(OfSums({.rows = 3, .lines = 3, .columns = 40, .groups = 2, .terms = 5}),
            1 + 16 + 2 * (512 + 20 * 3 * 20 * (5 + 16) + 64 * 3 * 5));
}

TEST(GasOfGemm, Saturates) {
  constexpr int64_t kMost = int64_t{1} << 62;
  EXPECT_EQ(OfSums({.rows = kMost, .columns = kMost, .groups = 1, .terms = kMost}), kWideMax);
  EXPECT_EQ(OfSums({.rows = 1, .lines = kMost, .columns = kMost, .groups = kMost, .terms = kMost}), kWideMax);
}

TEST(GasOfWeightedSums, CountsPixelsAsRows) {
  EXPECT_EQ(OfConvolution(Of({2, 3, 7, 9}), Of({20, 3, 3, 3}), Of({2, 20, 5, 7})),
            2 * 3 * 7 * 9 + 16 * 540 + 512 + 20 * (2 * 5 * 7) * 20 * (27 + 16) + 64 * (2 * 5) * 27);
  EXPECT_EQ(OfConvolution(Of({2, 3, 9}), Of({20, 3, 3}), Of({2, 20, 7})),
            2 * 3 * 9 + 16 * 180 + 512 + 20 * (2 * 7) * 20 * (9 + 16) + 64 * 2 * 9);
}

TEST(GasOfWeightedSums, TakesTheRowsOfDenseForLines) {
  EXPECT_EQ(OfConvolution(Of({4, 6}), Of({20, 6}), Of({4, 20})),
            24 + 16 * 120 + 512 + 20 * 4 * 20 * (6 + 16) + 64 * 4 * 6);
}

TEST(GasOfWeightedSums, OfADepthwiseConvolutionIsThatOfTwoColumnsInEachGroup) {
  EXPECT_EQ(OfConvolution(Of({1, 5, 4, 4}), Of({5, 1, 3, 3}), Of({1, 5, 2, 2})),
            80 + 16 * 45 + 5 * (20 * 4 * 2 * (9 + 16) + 64 * 2 * 9));
}

// Two results for each channel, and one channel alone: products of matrices like others.
TEST(GasOfWeightedSums, OfAnyOtherGroupsIsThatOfProducts) {
  EXPECT_EQ(OfConvolution(Of({1, 5, 4, 4}), Of({10, 1, 3, 3}), Of({1, 10, 2, 2})),
            80 + 16 * 90 + 5 * (512 + 20 * 4 * 16 * (9 + 16) + 64 * 2 * 9));
  EXPECT_EQ(OfConvolution(Of({1, 1, 4, 4}), Of({1, 1, 3, 3}), Of({1, 1, 2, 2})),
            16 + 16 * 9 + 512 + 20 * 4 * 16 * (9 + 16) + 64 * 2 * 9);
}

TEST(GasOfMatmul, TakesMatricesForGroupsWithoutLines) {
  EXPECT_EQ(RunOp({.op = Opcode::kMatmul,
                   .operands = {Values({3, 1, 2}, std::vector<int64_t>(6, 1)), Values({2, 1}, {1, 1})},
                   .attributes = Pack(MatmulAttrs{})})
                ->gas,
            6 + 16 * 2 + 3 * (512 + 20 * 16 * (2 + 16)));
}

TEST(GasOfConvTranspose, CountsTheWeightsOfAChannelForEachResult) {
  EXPECT_EQ(RunOp({.op = Opcode::kConvTranspose,
                   .operands = {Values({1, 4, 2}, std::vector<int64_t>(8, 1)),
                                Values({4, 3, 2}, std::vector<int64_t>(24, 1))},
                   .attributes = Pack(ConvTransposeAttrs{.stride = {2},
                                                         .dilation = {1},
                                                         .pad_begin = {0},
                                                         .pad_end = {0},
                                                         .output_padding = {0},
                                                         .groups = 2})})
                ->gas,
            8 + 16 * 24 + 2 * (512 + 20 * 4 * 16 * (2 * 2 + 16) + 64 * 1 * (2 * 2)));
}

}  // namespace
}  // namespace tally
