#include "base/wide.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Wide, ProductsThatSaturateKeepTheirSign) {
  constexpr Int128 kLarge = Int128{1} << 100;
  EXPECT_TRUE(SatMul(kLarge, kLarge) == kWideMax);
  EXPECT_TRUE(SatMul(-kLarge, -kLarge) == kWideMax);
  EXPECT_TRUE(SatMul(kLarge, -kLarge) == -kWideMax);
  EXPECT_TRUE(SatMul(-kLarge, kLarge) == -kWideMax);
  // The product fits 128 bits, and not the limit.
  EXPECT_TRUE(SatMul(kLarge, -(Int128{1} << 26) - 1) == -kWideMax);
}

TEST(Wide, ProductsThatFitAreExact) {
  EXPECT_TRUE(SatMul(INT64_MIN, INT64_MIN) == kWideMax);
  EXPECT_TRUE(SatMul(INT64_MAX, -INT64_MAX) == -Int128{INT64_MAX} * INT64_MAX);
  EXPECT_TRUE(SatMul(Int128{1} << 70, -3) == -3 * (Int128{1} << 70));
}

TEST(Wide, SumsSaturate) {
  EXPECT_TRUE(SatAdd(kWideMax, 1) == kWideMax);
  EXPECT_TRUE(SatAdd(-kWideMax, -1) == -kWideMax);
  EXPECT_TRUE(SatAdd(kWideMax, -1) == kWideMax - 1);
}

}  // namespace
}  // namespace tally
