#include "quant/calibrate/clip_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tally::quant {
namespace {

struct Seen {
  explicit Seen(const std::vector<float>& of) : elements(of) {
    const auto [min, max] = std::ranges::minmax(of);
    range = {min, max, std::ssize(of)};
    ValueHistogramBuilder builder;
    builder.Add(of);
    histogram = builder.Build();
  }

  Range Clip(ClipMethod method, int bits = 8) const { return ClipRange(method, range, histogram, bits); }

  // The error of a grid with 2^bits codes over `to`.
  double SquaredError(const Range& to, int bits) const {
    const double step = (static_cast<double>(to.max) - to.min) / (std::ldexp(1, bits) - 1);
    double sum = 0;
    for (const float x : elements) {
      const double code = std::round((std::clamp<double>(x, to.min, to.max) - to.min) / step);
      sum += std::pow(x - (to.min + code * step), 2);
    }
    return sum;
  }

  std::vector<float> elements;
  Range range;
  ValueHistogram histogram;
};

// Sums of uniform numbers; then some far outside.
Seen BellWithOutliers(int outliers, double at, bool one_sided = false) {
  std::mt19937 random(3);
  std::vector<float> elements;
  for (int i = 0; i < 100000; ++i) {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(random()) * 0x1p-32;
    elements.push_back(static_cast<float>(one_sided ? std::max(sum, 0.0) : sum));
  }
  for (int i = 0; i < outliers; ++i)
    elements.push_back(static_cast<float>(i % 2 == 0 || one_sided ? at : -at));
  return Seen(elements);
}

TEST(ClipRange, MseHasNoMoreErrorThanAnyOtherRangeThatIsTried) {
  for (const bool one_sided : {false, true}) {
    for (const int bits : {4, 6, 8}) {
      const Seen seen = BellWithOutliers(20, 12, one_sided);
      const Range clipped = seen.Clip(ClipMethod::kMse, bits);
      const double error = seen.SquaredError(clipped, bits);
      EXPECT_LT(error, (bits == 4 ? 0.9 : 1.01) * seen.SquaredError(seen.range, bits));
      for (int i = 1; i <= 40; ++i) {
        const float part = static_cast<float>(i) / 40;
        const Range other = {seen.range.min * part, seen.range.max * part};
        EXPECT_LT(error, 1.03 * seen.SquaredError(other, bits)) << bits << " bits, part " << part;
      }
    }
  }
}

TEST(ClipRange, MseKeepsWhatClippingWouldCostMore) {
  std::vector<float> uniform;
  for (int i = 0; i < 4000; ++i) uniform.push_back(static_cast<float>(i) / 1000 - 1);
  const Range clipped = Seen(uniform).Clip(ClipMethod::kMse);
  EXPECT_LE(clipped.min, -0.98f);
  EXPECT_GE(clipped.max, 2.96f);
}

// Zeros have no rounding error: were they counted, the range would become narrower.
TEST(ClipRange, ZerosDoNotCount) {
  const Seen seen = BellWithOutliers(20, 12);
  std::vector<float> elements = seen.elements;
  elements.resize(elements.size() + 900000);
  const Seen with_zeros(elements);
  for (const ClipMethod method : {ClipMethod::kMse, ClipMethod::kKl}) {
    EXPECT_EQ(with_zeros.Clip(method).min, seen.Clip(method).min);
    EXPECT_EQ(with_zeros.Clip(method).max, seen.Clip(method).max);
  }
}

TEST(ClipRange, PercentileLeavesOutOneOf20000AtEachEnd) {
  std::vector<float> elements;
  for (int i = 0; i < 200000; ++i) elements.push_back(static_cast<float>(i % 1000) / 1000);
  for (int i = 0; i < 10; ++i) elements.push_back(8);
  EXPECT_NEAR(Seen(elements).Clip(ClipMethod::kPercentile).max, 1, 0.01);
  EXPECT_EQ(Seen(elements).Clip(ClipMethod::kPercentile).min, 0);
  elements.push_back(8);  // one more than may go
  EXPECT_EQ(Seen(elements).Clip(ClipMethod::kPercentile).max, 8);
  for (float& x : elements) x = -x;
  EXPECT_EQ(Seen(elements).Clip(ClipMethod::kPercentile).min, -8);
}

TEST(ClipRange, KlDropsOutliersAndKeepsTheBell) {
  const Range clipped = BellWithOutliers(6, 40).Clip(ClipMethod::kKl);
  EXPECT_LT(clipped.max, 10);
  EXPECT_GT(clipped.max, 2);
  EXPECT_LT(clipped.min, -2);
  const Range one_sided = BellWithOutliers(6, 16, true).Clip(ClipMethod::kKl);
  EXPECT_LE(one_sided.max, 8);
  EXPECT_GT(one_sided.max, 2);
  EXPECT_EQ(one_sided.min, 0);
}

TEST(ClipRange, AbsMaxIsAllThatWasSeen) {
  const Seen seen = BellWithOutliers(20, 12);
  EXPECT_EQ(seen.Clip(ClipMethod::kAbsMax), seen.range);
}

TEST(ClipRange, IsAPartOfWhatWasSeenAndHolds0OnlyWhereThatDoes) {
  for (const ClipMethodName& name : kClipMethods) {
    for (const std::vector<float>& elements :
         {std::vector<float>{5, 5.5f, 6},
          {-6, -5},
          {0, 0},
          {3},
          {-1e-40f, 1e-40f, 0},
          {std::numeric_limits<float>::max(), -std::numeric_limits<float>::max()}}) {
      const Seen seen(elements);
      const Range clipped = seen.Clip(name.method);
      EXPECT_LE(seen.range.min, clipped.min) << name.name;
      EXPECT_LE(clipped.min, clipped.max) << name.name;
      EXPECT_LE(clipped.max, seen.range.max) << name.name;
      EXPECT_EQ(clipped.count, seen.range.count);
    }
  }
}

TEST(ClipRange, ARangeThatWasNarrowedByHandStaysAsNarrow) {
  const Seen seen = BellWithOutliers(20, 12);
  for (const ClipMethodName& name : kClipMethods) {
    const Range clipped = ClipRange(name.method, {-0.5f, 0.25f, seen.range.count}, seen.histogram, 8);
    EXPECT_GE(clipped.min, -0.5f) << name.name;
    EXPECT_LE(clipped.max, 0.25f) << name.name;
  }
}

// The sums do not overflow: counts of all elements that a file may have, in the outermost bins.
TEST(ClipRange, CountsMayBeAsLargeAsFilesHaveThem) {
  ValueHistogram histogram = {
      .exponent = 0, .zeros = 0, .first = -kBins, .counts = std::vector<int64_t>(2 * kBins)};
  const int64_t half = std::numeric_limits<int64_t>::max() / 2;
  histogram.counts.front() = histogram.counts.back() = half;
  for (const ClipMethodName& name : kClipMethods) {
    const Range clipped = ClipRange(name.method, {-1024, 1024, 2 * half}, histogram, 16);
    EXPECT_EQ(clipped.max, 1024) << name.name;
    EXPECT_EQ(clipped.min, -1024) << name.name;
  }
}

}  // namespace
}  // namespace tally::quant
