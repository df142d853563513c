#include "quant/accuracy/output_error.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace tally::quant {
namespace {

TEST(OutputError, IsThatOfItsFormulas) {
  OutputError error;
  error.Add(std::array{3.0, 4.0}, std::array{3.0, 4.5}, 2);
  error.Add(std::array{0.0, 0.0}, std::array{-0.25, 0.0}, 2);
  EXPECT_DOUBLE_EQ(error.sqnr_db(), 10 * std::log10(25 / 0.3125));
  EXPECT_DOUBLE_EQ(error.cosine(), (9 + 18) / std::sqrt(25) / std::sqrt(9 + 20.25 + 0.0625));
  EXPECT_DOUBLE_EQ(error.largest(), 0.5);
  EXPECT_DOUBLE_EQ(error.agreement(), 0.5);  // the first of two zeros, and the second element
}

TEST(OutputError, EqualOutputsHaveNoNoise) {
  OutputError error;
  EXPECT_EQ(error.agreement(), 1);
  error.Add(std::array{0.0, 0.0}, std::array{0.0, 0.0}, 1);
  EXPECT_EQ(error.sqnr_db(), INFINITY);
  EXPECT_EQ(error.cosine(), 1);
  error.Add(std::array{1.0}, std::array{1.0}, 1);
  EXPECT_EQ(error.sqnr_db(), INFINITY);
  EXPECT_EQ(error.agreement(), 1);
}

TEST(OutputError, AnOutputOfZerosHasNothingInCommonWithAnother) {
  OutputError error;
  error.Add(std::array{1.0}, std::array{0.0}, 1);
  EXPECT_EQ(error.cosine(), 0);
  EXPECT_EQ(error.sqnr_db(), 0);
}

TEST(Choice, IsTheFirstLargest) {
  EXPECT_EQ(Choice(std::array{1.0, 7.0, 7.0}), 1);
  EXPECT_EQ(Choice(std::array{-1.0}), 0);
}

}  // namespace
}  // namespace tally::quant
