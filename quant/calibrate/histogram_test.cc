#include "quant/calibrate/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace tally::quant {
namespace {

ValueHistogram Of(const std::vector<float>& elements) {
  ValueHistogramBuilder builder;
  builder.Add(elements);
  return builder.Build();
}

TEST(ValueHistogram, BinsAreThoseOfTheLargestMagnitude) {
  // 1023.5 is below 2^10, so a bin has the width 1.
  EXPECT_EQ(Of({1023.5f, 0, 3, 3.75f, -0.0f}), (ValueHistogram{0, 2, 3, [] {
                                                                 std::vector<int64_t> counts(1021);
                                                                 counts.front() = 2;
                                                                 counts.back() = 1;
                                                                 return counts;
                                                               }()}));
  // Negative bins end at their lesser magnitude: -1 is in (-2, -1], bin -2, and -0.5 in bin -1.
  EXPECT_EQ(Of({-1, -0.5f, 0.5f, 1000}).first, -2);
  EXPECT_EQ(Of({-1, -0.5f, 0.5f, 1000}).counts[0], 1);
  EXPECT_EQ(Of({-1, -0.5f, 0.5f, 1000}).counts[1], 1);
  EXPECT_EQ(Of({-1, -0.5f, 0.5f, 1000}).counts[2], 1);
}

TEST(ValueHistogram, EveryFloatHasABin) {
  const float largest = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(Of({largest, -largest}).exponent, kLargestExponent);
  EXPECT_EQ(Of({largest, -largest}).first, -kBins);
  EXPECT_EQ(std::ssize(Of({largest, -largest}).counts), 2 * kBins);
  EXPECT_EQ(Of({least}).exponent, kLeastExponent);
  EXPECT_EQ(Of({least}).first, kBins / 2);
  EXPECT_EQ(Of({least, largest}).first, 0);
  EXPECT_EQ(Of({0, -0.0f}), (ValueHistogram{0, 2, 0, {}}));
}

TEST(ValueHistogram, DependsOnTheElementsAloneNotOnTheirOrder) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<float> elements;
    for (int i = 0; i < 300; ++i) {
      const int exponent = static_cast<int>(random() % 30) - 20;
      elements.push_back(
          random() % 10 == 0 ? 0 : std::ldexp(static_cast<float>(random() % 8191) - 4095, exponent));
    }
    const ValueHistogram at_once = Of(elements);
    EXPECT_EQ(std::accumulate(at_once.counts.begin(), at_once.counts.end(), at_once.zeros), 300);
    std::ranges::shuffle(elements, random);
    ValueHistogramBuilder one_by_one;
    for (const float element : elements) one_by_one.Add({&element, 1});
    ASSERT_EQ(one_by_one.Build(), at_once);
  }
}

}  // namespace
}  // namespace tally::quant
