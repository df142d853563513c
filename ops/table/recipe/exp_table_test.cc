// exp by the table beside the series of 256 bits: the ball of 64 bits holds the exact result for every point
// of its argument, and says nearly as much as 64 bits can.
#include "ops/table/recipe/exp_table.h"

#include <gtest/gtest.h>

#include <random>

namespace tally::recipe {
namespace {

Ball<4> Widen(const Ball<1>& narrow, int64_t side) {
  Ball<4> y = Ball<4>::FromInt(static_cast<int64_t>(narrow.magnitude[0] >> 1)).TimesPowerOfTwo(1) +
              Ball<4>::FromInt(static_cast<int64_t>(narrow.magnitude[0] & 1));
  if (narrow.negative) y = -y;
  y = y + Ball<4>::FromInt(side * static_cast<int64_t>(narrow.radius));
  return y.TimesPowerOfTwo(narrow.exponent);
}

// Whether all of `inner` is within `outer`.
bool Holds(const Ball<1>& outer, const Ball<4>& inner) {
  const Ball<4> above = Widen(outer, 1) - inner, below = inner - Widen(outer, -1);
  return !above.negative && !below.negative;
}

void ExpectHolds(const Ball<1>& x) {
  const Ball<1> y = ExpTable::Get().Exp(x);
  ASSERT_TRUE(y.known());
  for (const int64_t side : {-1, 0, 1})
    ASSERT_TRUE(Holds(y, Exp(Widen(x, side)))) << x.magnitude[0] << " 2^" << x.exponent << " +- " << x.radius;
}

TEST(ExpTable, HoldsTheResultOfNumbers) {
  std::mt19937_64 random(20261129);
  for (int i = 0; i < 100000; ++i) {
    const int64_t bits = static_cast<int64_t>(random() % 62);
    const int64_t shift = static_cast<int64_t>(random() % 62);
    Ball<1> x = Ball<1>::FromInt(static_cast<int64_t>(random() >> (2 + bits))).TimesPowerOfTwo(-shift);
    if (x.IsExactZero() || x.UpperExponent() > 8) continue;
    if (random() % 2 == 0) x = -x;
    ExpectHolds(x);
  }
}

TEST(ExpTable, HoldsTheResultsOfBalls) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 30000; ++i) {
    Ball<1> x = Ball<1>::FromInt(static_cast<int64_t>(random() >> 2));
    x.exponent = -static_cast<int64_t>(56 + random() % 80);
    x.negative = random() % 2 == 0;
    x.radius = random() >> (20 + random() % 44);
    if (x.UpperExponent() > 8) continue;
    ExpectHolds(x);
  }
}

// Where the nearest entry or power of two changes, and at both ends of the table.
TEST(ExpTable, HoldsResultsWhereEntriesChange) {
  for (int64_t entry = -50 * 128; entry <= 50 * 128; ++entry) {
    for (const int64_t step : {-1, 0, 1}) {
      const int64_t number = (2 * entry + 1) * (int64_t{1} << 40) + step;
      if (number != 0) ExpectHolds(Ball<1>::FromInt(number).TimesPowerOfTwo(-48));
    }
  }
}

TEST(ExpTable, SaysAsMuchAsTheSeries) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const Ball<1> x = Ball<1>::FromInt(static_cast<int64_t>(random() >> 20)).TimesPowerOfTwo(-40);
    const Ball<1> y = ExpTable::Get().Exp(x);
    EXPECT_LE(y.radius, 8u);
    EXPECT_TRUE(y.normal());
  }
}

TEST(ExpTable, LeavesTheRestToTheSeries) {
  EXPECT_EQ(ExpTable::Get().Exp(Ball<1>()).magnitude, Ball<1>::FromInt(1).magnitude);
  EXPECT_FALSE(ExpTable::Get().Exp(Ball<1>::Unknown()).known());
  const Ball<1> large = Ball<1>::FromInt(1000);
  EXPECT_EQ(ExpTable::Get().Exp(large).magnitude, Exp(large).magnitude);
  Ball<1> vague = Ball<1>::FromInt(1);
  vague.radius = uint64_t{1} << 45;
  ASSERT_TRUE(Holds(ExpTable::Get().Exp(vague), Exp(Ball<4>::FromInt(1))));
}

}  // namespace
}  // namespace tally::recipe
