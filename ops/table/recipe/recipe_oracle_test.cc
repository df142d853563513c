// Every entry against Boost.Multiprecision at 208 bits: all 16-bit values once for each function, and all
// 8-bit values with 16 pairs of scales and zero points.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <string>

#include "ops/table/recipe/recipe.h"
#include "ops/table/recipe/sample_recipes.h"

namespace tally {
namespace {

namespace mp = boost::multiprecision;
using Real = mp::number<mp::cpp_bin_float<208, mp::digit_base_2>, mp::et_off>;

const Real kInfinity = std::numeric_limits<Real>::infinity();
const Real kPi = 4 * mp::atan(Real(1));

Real Scale(const RecipeScale& scale) {
  return mp::ldexp(Real(scale.multiplier), -static_cast<int>(scale.shift));
}
Real Parameter(const RecipeParameter& p) { return Real(p.numerator) / p.denominator; }

// The Maclaurin series, whose terms grow to e^(x^2) before they cancel: 92 of the bits at x = 8. Farther out
// the first term of the asymptotic series, which is on the right side of 1 and nearer to it than any entry
// here can report.
Real Erf(const Real& x) {
  if (mp::fabs(x) > 8) return x.sign() * (1 - mp::exp(-x * x) / (mp::fabs(x) * mp::sqrt(kPi)));
  Real term = x, sum = x;
  for (int n = 1; mp::fabs(term) > mp::ldexp(Real(1), -230); ++n) {
    term *= -x * x / n;
    sum += term / (2 * n + 1);
  }
  return 2 / mp::sqrt(kPi) * sum;
}

Real Sigmoid(const Real& x) { return 1 / (1 + mp::exp(-x)); }
Real Ramp(const Recipe& r, const Real& x) {
  return std::max(Real(0), std::min(Real(1), Real(Parameter(r.alpha) * x + Parameter(r.beta))));
}

Real F(const Recipe& r, const Real& x) {
  const Real a = Parameter(r.alpha), b = Parameter(r.beta);
  switch (r.function) {
    case RecipeFunction::kExp: return mp::exp(x);
    case RecipeFunction::kExpNegative: return mp::exp(-x);
    case RecipeFunction::kExp2: return mp::pow(Real(2), x);
    case RecipeFunction::kLog: return x > 0 ? Real(mp::log(x)) : Real(-kInfinity);
    case RecipeFunction::kLog2: return x > 0 ? Real(mp::log(x) / mp::log(Real(2))) : Real(-kInfinity);
    case RecipeFunction::kSigmoid: return Sigmoid(x);
    case RecipeFunction::kTanh: return mp::tanh(x);
    case RecipeFunction::kErf: return Erf(x);
    case RecipeFunction::kGelu: return x * (1 + Erf(x / mp::sqrt(Real(2)))) / 2;
    case RecipeFunction::kGeluTanh:
      return x / 2 * (1 + mp::tanh(mp::sqrt(2 / kPi) * (x + Real(44715) / 1000000 * x * x * x)));
    case RecipeFunction::kGeluSigmoid: return x * Sigmoid(Real(1702) / 1000 * x);
    case RecipeFunction::kSilu: return x * Sigmoid(x);
    case RecipeFunction::kMish: return x * mp::tanh(mp::log(1 + mp::exp(x)));
    case RecipeFunction::kSoftplus: return mp::log(1 + mp::exp(x));
    case RecipeFunction::kSoftsign: return x / (1 + mp::fabs(x));
    case RecipeFunction::kElu: return x > 0 ? x : Real(a * (mp::exp(x) - 1));
    case RecipeFunction::kSelu: return b * (x > 0 ? x : Real(a * (mp::exp(x) - 1)));
    case RecipeFunction::kCelu: return x > 0 ? x : Real(a * (mp::exp(x / a) - 1));
    case RecipeFunction::kHardSigmoid: return Ramp(r, x);
    case RecipeFunction::kHardSwish: return x * Ramp(r, x);
    case RecipeFunction::kSqrt: return x > 0 ? Real(mp::sqrt(x)) : Real(0);
    case RecipeFunction::kRsqrt: return x > 0 ? Real(1 / mp::sqrt(x)) : kInfinity;
    case RecipeFunction::kReciprocal: return x != 0 ? Real(1 / x) : kInfinity;
    case RecipeFunction::kPower: return x > 0 ? Real(mp::pow(x, a)) : Real(0);
    case RecipeFunction::kSin: return mp::sin(x);
    case RecipeFunction::kCos: return mp::cos(x);
    case RecipeFunction::kTan: return mp::tan(x);
    case RecipeFunction::kAsin: return mp::asin(std::max(Real(-1), std::min(Real(1), Real(x))));
    case RecipeFunction::kAcos: return mp::acos(std::max(Real(-1), std::min(Real(1), Real(x))));
    case RecipeFunction::kAtan: return mp::atan(x);
    case RecipeFunction::kSinh: return mp::sinh(x);
    case RecipeFunction::kCosh: return mp::cosh(x);
    case RecipeFunction::kAsinh: return mp::log(x + mp::sqrt(x * x + 1));
    case RecipeFunction::kAcosh: return x > 1 ? Real(mp::log(x + mp::sqrt(x * x - 1))) : Real(0);
    case RecipeFunction::kAtanh:
      return x >= 1 ? kInfinity : x <= -1 ? Real(-kInfinity) : Real(mp::log((1 + x) / (1 - x)) / 2);
    case RecipeFunction::kFloor: return mp::floor(x);
    case RecipeFunction::kCeil: return mp::ceil(x);
    case RecipeFunction::kRoundHalfEven: {
      const Real floor = mp::floor(x), rest = x - floor;
      if (rest != Real(0.5)) return mp::floor(x + Real(0.5));
      return mp::floor(floor / 2) * 2 == floor ? floor : Real(floor + 1);
    }
    case RecipeFunction::kSign: return x.sign();
    case RecipeFunction::kThreshold: return x > a ? x : Real(0);
    case RecipeFunction::kIdentity: return x;
  }
  return 0;
}

// A quotient next to an integer is that integer: the division by the scale rounds where the true one is
// exact.
int64_t Expected(const Recipe& r, int64_t index) {
  const Real y = F(r, (index - r.zero_in) * Scale(r.in)) / Scale(r.out) + r.zero_out;
  if (y >= r.hi) return r.hi;
  if (y <= r.lo) return r.lo;
  const Real up = y + Real(0.5), nearest = mp::floor(up + Real(0.5));
  const Real rounded = mp::fabs(up - nearest) < mp::ldexp(Real(1), -100) ? nearest : Real(mp::floor(up));
  return rounded.convert_to<int64_t>();
}

void ExpectCorrect(const Recipe& recipe) {
  const auto entries = Expand(recipe);
  ASSERT_TRUE(entries.ok()) << InfoOf(recipe.function).name << entries.status();
  int64_t wrong = 0;
  for (int64_t i = 0; i < recipe.count; ++i) {
    const int64_t expected = Expected(recipe, recipe.first + i);
    if ((*entries)[static_cast<size_t>(i)] == expected) continue;
    if (wrong++ < 3) {
      ADD_FAILURE() << InfoOf(recipe.function).name << " entry " << i << " is "
                    << (*entries)[static_cast<size_t>(i)] << ", not " << expected;
    }
  }
  EXPECT_EQ(wrong, 0) << InfoOf(recipe.function).name;
}

class AllFunctions : public testing::TestWithParam<size_t> {};

TEST_P(AllFunctions, AreCorrectlyRoundedOverAll16BitValues) { ExpectCorrect(SampleRecipes16()[GetParam()]); }

TEST_P(AllFunctions, AreCorrectlyRoundedOverAll8BitValuesWithManyScales) {
  int recipes = 0;
  for (const Recipe& recipe : SampleRecipes8()) {
    if (recipe.function != static_cast<RecipeFunction>(GetParam())) continue;
    ++recipes;
    ExpectCorrect(recipe);
  }
  EXPECT_GT(recipes, 0);
}

INSTANTIATE_TEST_SUITE_P(Recipe, AllFunctions, testing::Range<size_t>(0, AllRecipeFunctions().size()),
                         [](const auto& info) {
                           return std::string(InfoOf(static_cast<RecipeFunction>(info.param)).name);
                         });

}  // namespace
}  // namespace tally
