#include "base/division.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace tally {
namespace {

// The quotient by its definition over the rationals: twice the distance of a / b to a neighbour, in units of
// 1 / |b|.
int64_t RoundByDistance(Rounding rounding, int64_t a, int64_t b) {
  if (b < 0) a = -a, b = -b;
  int64_t floor = 0;
  while (floor * b > a) --floor;
  while ((floor + 1) * b <= a) ++floor;
  const int64_t above = 2 * (a - floor * b);  // against b: below, at or above the middle
  const bool exact = above == 0;
  switch (rounding) {
    case Rounding::kFloor: return floor;
    case Rounding::kTrunc: return a < 0 && !exact ? floor + 1 : floor;
    case Rounding::kHalfUp: return above >= b ? floor + 1 : floor;
    case Rounding::kHalfAway: return above > b || (above == b && a > 0) ? floor + 1 : floor;
    case Rounding::kHalfEven: return above > b || (above == b && floor % 2 != 0) ? floor + 1 : floor;
    case Rounding::kDouble: break;
  }
  std::abort();
}

TEST(RoundDiv, IsTheRationalRounded) {
  for (const Rounding rounding :
       {Rounding::kFloor, Rounding::kTrunc, Rounding::kHalfUp, Rounding::kHalfAway, Rounding::kHalfEven}) {
    for (int64_t a = -60; a <= 60; ++a) {
      for (int64_t b = -13; b <= 13; ++b) {
        if (b == 0) continue;
        const int64_t expected = RoundByDistance(rounding, a, b);
        EXPECT_EQ(RoundDiv<int64_t>(rounding, a, b), expected)
            << RoundingName(rounding) << ' ' << a << '/' << b;
        EXPECT_TRUE(RoundDiv<Int128>(rounding, a, b) == expected)
            << RoundingName(rounding) << ' ' << a << '/' << b;
      }
    }
  }
}

TEST(RoundDiv, ReachesTheEndsOfItsRange) {
  constexpr int64_t kLo = -(int64_t{1} << 47), kHi = -kLo - 1;
  EXPECT_EQ(RoundDiv<int64_t>(Rounding::kHalfAway, kLo, kHi), -1);
  EXPECT_EQ(RoundDiv<int64_t>(Rounding::kHalfEven, kLo, -1), -kLo);
  EXPECT_EQ(RoundDiv<int64_t>(Rounding::kHalfUp, kLo, -2), -kLo / 2);
  EXPECT_EQ(RoundDiv<int64_t>(Rounding::kTrunc, INT64_MIN, 2), INT64_MIN / 2);
}

TEST(FloorSqrt, BracketsEveryValueAroundEverySquare) {
  for (const int64_t root : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{181}, int64_t{46341},
                             (int64_t{1} << 23) - 1, int64_t{1} << 23, (int64_t{1} << 24) - 1}) {
    EXPECT_EQ(FloorSqrt<int64_t>(root * root), root);
    EXPECT_EQ(FloorSqrt<int64_t>(root * root + 2 * root), root);
    EXPECT_EQ(NearestSqrt<int64_t>(root * root + root), root);
    EXPECT_EQ(NearestSqrt<int64_t>(root * root + root + 1), root + 1);
  }
}

}  // namespace
}  // namespace tally
