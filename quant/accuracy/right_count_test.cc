#include "quant/accuracy/right_count.h"

#include <gtest/gtest.h>

#include <vector>

namespace tally::quant {
namespace {

TEST(RightCount, CountsTheLargestAndTheFiveLargest) {
  const std::vector<double> row = {3, 9, 1, 8, 2, 7};  // places by size: 1, 3, 5, 0, 4, 2
  RightCount count;
  for (int64_t right = 0; right < 6; ++right) count.Add(row, right);
  EXPECT_EQ(count.rows(), 6);
  EXPECT_DOUBLE_EQ(count.first().share, 1.0 / 6);
  EXPECT_DOUBLE_EQ(count.five().share, 5.0 / 6);
}

TEST(RightCount, OfEqualElementsTheFirstIsTheLargest) {
  RightCount count;
  count.Add(std::vector<double>{4, 4}, 0);
  EXPECT_EQ(count.first().share, 1);
  count.Add(std::vector<double>{4, 4}, 1);
  EXPECT_EQ(count.first().share, 0.5);
}

// The figures of Wilson's interval for 8 of 10, and its ends.
TEST(RightCount, SaysBetweenWhatTheShareIs) {
  const ShareBounds share = ShareOf(8, 10);
  EXPECT_NEAR(share.low, 0.4902, 1e-4);
  EXPECT_NEAR(share.high, 0.9433, 1e-4);
  EXPECT_NEAR(ShareOf(0, 10).low, 0, 1e-12);
  EXPECT_NEAR(ShareOf(10, 10).high, 1, 1e-12);
  EXPECT_EQ(ShareOf(0, 0).low, 0);
  EXPECT_EQ(ShareOf(0, 0).high, 1);
}

}  // namespace
}  // namespace tally::quant
