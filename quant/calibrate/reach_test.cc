#include "quant/calibrate/reach.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/testing/random_source.h"

namespace tally::quant {
namespace {

double ReachOf(const std::vector<double>& ends) {
  EndSpread spread;
  for (const double end : ends) spread.Add(end);
  return spread.Reach();
}

TEST(Reach, IsWideOfOneSampleAndNearOfManyThatAgree) {
  EXPECT_EQ(ReachOf({}), 0);
  EXPECT_EQ(ReachOf({0, 0}), 0);
  EXPECT_NEAR(ReachOf({1}), 1 + std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(ReachOf(std::vector<double>(10000, 1.0)), 1, 0.02);
}

TEST(Reach, GrowsWithTheSpreadOfSamples) {
  EXPECT_LT(ReachOf({9, 10, 11, 10}), ReachOf({5, 10, 15, 10}));
  EXPECT_GE(ReachOf({1, 1, 1, 100}), 100);
}

// A sum of twelve draws is nearly normal.
TEST(Reach, HoldsOtherSamples) {
  RandomSource source(7);
  const auto draw = [&] {
    double sum = 100;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(source.Between(-1000, 1000)) / 100;
    return sum;
  };
  int beyond = 0;
  for (int trial = 0; trial < 500; ++trial) {
    EndSpread spread;
    for (int i = 0; i < 5; ++i) spread.Add(draw());
    for (int i = 0; i < 20; ++i) beyond += draw() > spread.Reach() ? 1 : 0;
  }
  EXPECT_LT(beyond, 10) << "in 10,000 draws";
}

}  // namespace
}  // namespace tally::quant
