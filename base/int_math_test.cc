#include "base/int_math.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace tally {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(IntMath, CheckedHelpersRefuseWhatDoesNotFit) {
  int64_t out = 0;
  EXPECT_TRUE(CheckedAdd(kMax - 1, int64_t{1}, &out));
  EXPECT_EQ(out, kMax);
  EXPECT_FALSE(CheckedAdd(kMax, int64_t{1}, &out));
  EXPECT_TRUE(CheckedSub(kMin + 1, int64_t{1}, &out));
  EXPECT_EQ(out, kMin);
  EXPECT_FALSE(CheckedSub(kMin, int64_t{1}, &out));
  EXPECT_TRUE(CheckedMul(int64_t{1} << 31, int64_t{-1} << 32, &out));
  EXPECT_EQ(out, kMin);
  EXPECT_FALSE(CheckedMul(int64_t{1} << 31, int64_t{1} << 32, &out));
  EXPECT_FALSE(CheckedMul(kMin, int64_t{-1}, &out));
}

TEST(IntMath, CheckedHelpersWorkOnUnsignedAndInt128) {
  uint64_t unsigned_out = 0;
  EXPECT_FALSE(CheckedSub(uint64_t{0}, uint64_t{1}, &unsigned_out));
  EXPECT_FALSE(CheckedAdd(~uint64_t{0}, uint64_t{1}, &unsigned_out));
  Int128 wide = 0;
  EXPECT_TRUE(CheckedMul(Int128{kMin}, Int128{kMin}, &wide));
  EXPECT_EQ(wide, Int128{1} << 126);
  EXPECT_FALSE(CheckedMul(wide, Int128{2}, &wide));
}

// The quotient is pinned by its definition: the one q with q*b <= a < (q+1)*b.
TEST(IntMath, FloorAndCeilDivBracketTheRational) {
  for (int64_t a = -40; a <= 40; ++a) {
    for (int64_t b = 1; b <= 13; ++b) {
      const int64_t floor = FloorDiv(a, b);
      EXPECT_LE(floor * b, a);
      EXPECT_GT((floor + 1) * b, a);
      const int64_t ceil = CeilDiv(a, b);
      EXPECT_GE(ceil * b, a);
      EXPECT_LT((ceil - 1) * b, a);
      EXPECT_EQ(FloorDiv(Int128{a}, Int128{b}), floor);
      EXPECT_EQ(CeilDiv(Int128{a}, Int128{b}), ceil);
    }
  }
  EXPECT_EQ(FloorDiv(kMin, int64_t{2}), kMin / 2);
  EXPECT_EQ(FloorDiv(kMin, kMax), -2);
  EXPECT_EQ(CeilDiv(kMax, int64_t{2}), kMax / 2 + 1);
}

TEST(IntMath, RoundUpGivesTheNextMultiple) {
  EXPECT_EQ(RoundUp(0, 64), 0);
  EXPECT_EQ(RoundUp(1, 64), 64);
  EXPECT_EQ(RoundUp(64, 64), 64);
  EXPECT_EQ(RoundUp(65, 64), 128);
  EXPECT_EQ(RoundUp(7, 3), 9);
}

TEST(IntMath, BitLengthCountsMagnitudeBits) {
  EXPECT_EQ(BitLength(0), 0);
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(BitLength(uint64_t{1} << bit), bit + 1);
    EXPECT_EQ(BitLength(~uint64_t{0} >> bit), 64 - bit);
  }
}

}  // namespace
}  // namespace tally
