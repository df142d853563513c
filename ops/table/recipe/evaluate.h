// The definition of each function of recipes: where it is defined, where it is rational, and its value as a
// ball.
#pragma once

#include <cstdint>
#include <optional>

#include "ops/table/recipe/ball.h"
#include "ops/table/recipe/elementary.h"
#include "ops/table/recipe/recipe.h"

namespace tally::recipe {

// mantissa 2^-shift, |mantissa| < 2^62, 0 <= shift <= 62.
struct Dyadic {
  int64_t mantissa;
  int64_t shift;
};

enum class Infinity { kNone, kMinus, kPlus };

// Where f(x) is infinite or beyond every clamp. Otherwise x becomes the nearest point of f's domain.
Infinity EnterDomain(const Recipe& recipe, Dyadic& x);

template <int N>
struct Fraction {
  Ball<N> numerator, denominator;  // the denominator is > 0
};

// The value where it is known to be rational. Exact for N = 8.
template <int N>
std::optional<Fraction<N>> RationalValue(const Recipe& recipe, const Dyadic& x);

// For x far out: f(x) is strictly on one side of a rational number, and closer to it than any other
// rounding boundary can be. Exact for N = 8.
struct Asymptote {
  Fraction<8> value;
  bool from_below;
};
std::optional<Asymptote> AsymptoteAt(const Recipe& recipe, const Dyadic& x);

// f(x), enclosed.
template <int N>
Ball<N> Evaluate(const Recipe& recipe, const Dyadic& x);

// Whether an algebraic function that is not rational takes exactly the value c at x.
bool IsExactly(const Recipe& recipe, const Dyadic& x, const Ball<8>& c);

extern template Ball<1> Evaluate<1>(const Recipe&, const Dyadic&);
extern template Ball<2> Evaluate<2>(const Recipe&, const Dyadic&);
extern template Ball<4> Evaluate<4>(const Recipe&, const Dyadic&);
extern template Ball<8> Evaluate<8>(const Recipe&, const Dyadic&);
extern template std::optional<Fraction<8>> RationalValue<8>(const Recipe&, const Dyadic&);

}  // namespace tally::recipe
