// Every operation's ball holds the exact result, whatever point of its operands' balls is meant.
#include "ops/table/recipe/ball.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <random>

namespace tally {
namespace {

using recipe::Ball;
using recipe::DivideSmall;
using recipe::RoundHalfUp;

using Rational = boost::multiprecision::cpp_rational;
using boost::multiprecision::cpp_int;

Rational PowerOfTwo(int64_t power) {
  return power >= 0 ? Rational(cpp_int(1) << power) : Rational(1, cpp_int(1) << -power);
}

template <int N>
Rational PointOf(const Ball<N>& ball, int side) {
  cpp_int magnitude = 0;
  for (size_t i = N; i-- > 0;) magnitude = (magnitude << 64) + ball.magnitude[i];
  return ((ball.negative ? -1 : 1) * magnitude + side * cpp_int(ball.radius)) * PowerOfTwo(ball.exponent);
}

template <int N>
class Draws {
 public:
  // Few bits, all bits, near powers of two; exact or with small and large radii.
  Ball<N> Any() {
    Ball<N> ball;
    const int kind = static_cast<int>(random_() % 4);
    for (uint64_t& limb : ball.magnitude) limb = kind == 0 ? 0 : kind == 1 ? ~uint64_t{0} : random_();
    if (kind == 0 || random_() % 4 == 0) ball.magnitude[N - 1] = random_() >> random_() % 64;
    ball.exponent = -64 * N + static_cast<int64_t>(random_() % 40) - 20;
    ball.negative = random_() % 2 == 0;
    ball.Normalize();
    if (random_() % 2 == 0) ball.radius = random_() >> (5 + random_() % 59);
    return ball;
  }
  int Side() { return static_cast<int>(random_() % 3) - 1; }

 private:
  std::mt19937_64 random_{20260101};
};

template <int N>
void ExpectHolds(const Ball<N>& ball, const Rational& value, const char* operation) {
  if (!ball.known()) return;
  EXPECT_TRUE(PointOf(ball, -1) <= value && value <= PointOf(ball, 1))
      << operation << " of " << N << " limbs";
}

template <int N>
void CheckOperations(int cases) {
  Draws<N> draws;
  int known = 0;
  for (int i = 0; i < cases; ++i) {
    const Ball<N> a = draws.Any(), b = draws.Any();
    const Rational x = PointOf(a, draws.Side()), y = PointOf(b, draws.Side());
    ExpectHolds(a + b, x + y, "sum");
    ExpectHolds(a - b, x - y, "difference");
    ExpectHolds(a * b, x * y, "product");
    const Ball<N> quotient = a / b;
    if (quotient.known()) ExpectHolds(quotient, x / y, "quotient");
    known += quotient.known();
    ExpectHolds(DivideSmall(a, 12345), x / 12345, "small quotient");
    for (const int side : {-1, 0, 1}) {
      const Rational half_up = PointOf(a, side) + Rational(1, 2);
      cpp_int floor = numerator(half_up) / denominator(half_up);
      if (floor * denominator(half_up) > numerator(half_up)) --floor;
      EXPECT_EQ(RoundHalfUp(a, side), floor) << "rounding of " << N << " limbs";
    }
  }
  EXPECT_GT(known, cases / 4);
}

TEST(Ball, OperationsHoldTheExactResult) {
  CheckOperations<1>(2000);
  CheckOperations<2>(1000);
  CheckOperations<4>(500);
  CheckOperations<8>(200);
}

// As sine and cosine of a large argument are: of few bits, which their radius leaves no room to move up.
TEST(Ball, ADifferenceOfNeighboursDivides) {
  const Ball<2> third = Ball<2>::FromInt(1) / Ball<2>::FromInt(3);
  const Ball<2> near = (third + Ball<2>::FromInt(1).TimesPowerOfTwo(-62)).Widened(-130);
  for (const Ball<2>& y : {Ball<2>::FromInt(1) / (near - third), third / (near - third)}) {
    EXPECT_TRUE(y.known());
    EXPECT_LT(y.radius, uint64_t{1} << 60);
  }
}

TEST(Ball, ExactResultsStayExact) {
  const Ball<1> a = Ball<1>::FromInt(3).TimesPowerOfTwo(-4), b = Ball<1>::FromInt(-5);
  EXPECT_TRUE((a + b).exact());
  EXPECT_TRUE((a * b).exact());
  EXPECT_TRUE((b / Ball<1>::FromInt(20)).Abs().TimesPowerOfTwo(2).exact());
  EXPECT_TRUE((a - a).IsExactZero());
  EXPECT_FALSE((a / b).exact());
}

}  // namespace
}  // namespace tally
