#include "quant/accuracy/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tally::quant {
namespace {

TEST(Confidence, OneSampleSaysLittle) {
  const SqnrBounds bounds = BoundsOf(40, std::vector<double>{40});
  EXPECT_LT(bounds.low, 25);
  EXPECT_GT(bounds.high, 55);
}

TEST(Confidence, BoundsComeCloserWithMoreSamples) {
  double last = std::numeric_limits<double>::infinity();
  for (const size_t count : {1, 2, 4, 16, 64, 256}) {
    const SqnrBounds bounds = BoundsOf(35, std::vector<double>(count, 35));
    EXPECT_LT(bounds.high - bounds.low, last);
    last = bounds.high - bounds.low;
  }
  EXPECT_LT(last, 1);
}

TEST(Confidence, AreWideWhereSamplesDiffer) {
  const SqnrBounds alike = BoundsOf(35, std::vector<double>{35, 36, 34, 35});
  const SqnrBounds apart = BoundsOf(35, std::vector<double>{20, 50, 25, 45});
  EXPECT_GT(apart.high - apart.low, 2 * (alike.high - alike.low));
}

TEST(Confidence, ATargetIsMetByAStandardError) {
  EXPECT_NEAR(SureSqnr(40, std::vector<double>{40}), 34, 1e-9);
  EXPECT_GT(SureSqnr(40, std::vector<double>(100, 40)), 39.8);
  EXPECT_LT(SureSqnr(40, std::vector<double>{20, 60, 30, 50}), 34);
  const double equal = std::numeric_limits<double>::infinity();
  EXPECT_EQ(SureSqnr(equal, std::vector<double>{equal, equal}), equal);
}

TEST(Confidence, EqualSamplesCountAsManyDb) {
  const double equal = std::numeric_limits<double>::infinity();
  const SqnrBounds bounds = BoundsOf(equal, std::vector<double>{equal, equal});
  EXPECT_TRUE(std::isfinite(bounds.low));
  EXPECT_GT(bounds.low, 100);
}

// The mean of a normal distribution is within the bounds of 95 of 100 draws, be they of few samples or many;
// the spread that the prior expects, half of it and twice.
TEST(Confidence, HoldAsOftenAsTheySay) {
  std::mt19937 draws(1);
  const auto share_within = [&](double spread, size_t count) {
    std::normal_distribution<double> sample(35, spread);
    constexpr int kTrials = 2000;
    int within = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> db;
      double mean = 0;
      for (size_t i = 0; i < count; ++i) {
        db.push_back(sample(draws));
        mean += db.back() / static_cast<double>(count);
      }
      const SqnrBounds bounds = BoundsOf(mean, db);
      within += bounds.low <= 35 && 35 <= bounds.high ? 1 : 0;
    }
    return static_cast<double>(within) / kTrials;
  };
  for (const double spread : {3.0, 6.0}) {
    for (const size_t count : {1, 2, 4, 16}) EXPECT_GT(share_within(spread, count), 0.93) << spread << count;
  }
  EXPECT_GT(share_within(12, 16), 0.9);
  EXPECT_LT(share_within(12, 1), 0.93);  // which one sample can't know
}

TEST(Confidence, SaysHowManySamplesAreEnough) {
  const std::vector<double> two = {42, 41};
  const int64_t enough = SamplesWithin(3, two);
  EXPECT_GT(enough, 2);
  EXPECT_EQ(SamplesWithin(100, two), 1);
  EXPECT_GT(SamplesWithin(1, two), 4 * enough);
}

}  // namespace
}  // namespace tally::quant
