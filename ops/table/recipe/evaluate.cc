#include "ops/table/recipe/evaluate.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "base/int_math.h"
#include "ops/table/recipe/erf_grid.h"
#include "ops/table/recipe/exp_table.h"

namespace tally::recipe {
namespace {

template <int N>
Ball<N> Int(int64_t value) {
  return Ball<N>::FromInt(value);
}

template <int N>
Ball<N> Value(const Dyadic& x) {
  return Int<N>(x.mantissa).TimesPowerOfTwo(-x.shift);
}

template <int N>
Ball<N> Value(const RecipeParameter& p) {
  return Int<N>(p.numerator) / Int<N>(p.denominator);
}

template <int N>
Fraction<N> Whole(const Ball<N>& value) {
  return {value, Int<N>(1)};
}

// |x| as x >= 2^power; power + shift may be anything.
bool AtLeast(const Dyadic& x, int64_t power) {
  const int64_t bits = power + x.shift;
  return bits < 62 && (bits < 0 ? x.mantissa != 0 : std::abs(x.mantissa) >> bits != 0);
}

// The sign of x - 1.
int CompareWithOne(const Dyadic& x) {
  const int64_t one = int64_t{1} << x.shift;
  return x.mantissa < one ? -1 : x.mantissa > one ? 1 : 0;
}

bool IsWhole(const Dyadic& x) { return (x.mantissa & ((int64_t{1} << x.shift) - 1)) == 0; }
int64_t Floor(const Dyadic& x) { return x.mantissa >> x.shift; }

int64_t RoundHalfEven(const Dyadic& x) {
  if (x.shift == 0) return x.mantissa;
  const int64_t floor = Floor(x), rest = x.mantissa - (floor << x.shift), half = int64_t{1} << (x.shift - 1);
  return floor + (rest > half || (rest == half && (floor & 1) != 0) ? 1 : 0);
}

// min(max(alpha x + beta, 0), 1)
template <int N>
Fraction<N> Ramp(const Recipe& r, const Dyadic& x) {
  const Ball<N> p = Int<N>(r.alpha.numerator * r.beta.denominator) * Value<N>(x) +
                    Int<N>(r.beta.numerator * r.alpha.denominator);
  const Ball<N> q = Int<N>(r.alpha.denominator * r.beta.denominator);
  if (p.negative || p.IsExactZero()) return Whole(Ball<N>());
  const Ball<N> excess = p - q;
  return excess.negative ? Fraction<N>{p, q} : Whole(Int<N>(1));
}

template <int N>
Ball<N> ExpOf(const Ball<N>& x) {
  if constexpr (N == 1) {
    return ExpTable::Get().Exp(x);
  } else {
    return Exp(x);
  }
}

template <int N>
Ball<N> ExpMinusOne(const Ball<N>& x) {
  return ExpOf(x) - Int<N>(1);
}

template <int N>
Ball<N> LogisticOf(const Ball<N>& x) {
  return Int<N>(1) / (Int<N>(1) + ExpOf(-x));
}

template <int N>
Ball<N> ErrorFunction(const Ball<N>& x) {
  if constexpr (N == 1) {
    return ErfByGrid::Get().Erf(x);
  } else {
    return Erf(x);
  }
}

// sqrt(1 - x^2) without cancellation.
template <int N>
Ball<N> Leg(const Ball<N>& x) {
  return Sqrt((Int<N>(1) - x) * (Int<N>(1) + x));
}

template <int N>
Ball<N> ArcSine(const Ball<N>& x) {
  return x.Abs().magnitude == Int<N>(1).magnitude && x.exponent == Int<N>(1).exponent
             ? (x.negative ? -Constants<N>::Get().half_pi : Constants<N>::Get().half_pi)
             : Atan(x / Leg(x));
}

template <int N>
Ball<N> ArcSinh(const Ball<N>& x) {
  const Ball<N> size = x.Abs(), y = Log(size + Sqrt(size * size + Int<N>(1)));
  return x.negative ? -y : y;
}

// x^alpha for x > 0. Beyond 2^+-(2^20) the power is past every clamp or rounds to zero all the same.
template <int N>
Ball<N> PositivePower(const Recipe& r, const Ball<N>& x) {
  constexpr int64_t kFar = int64_t{1} << 20;
  const Ball<N> exponent = Value<N>(r.alpha) * Log(x);
  const int64_t size = RoundHalfUp(exponent, 0);
  if (exponent.known() && size > kFar) return Int<N>(1).TimesPowerOfTwo(kFar);
  if (exponent.known() && size < -kFar) return Ball<N>().Widened(-kFar);
  return ExpOf(exponent);
}

bool IsOdd(int64_t value) { return (value & 1) != 0; }

}  // namespace

Infinity EnterDomain(const Recipe& recipe, Dyadic& x) {
  const int64_t one = int64_t{1} << x.shift;
  const bool positive_far = x.mantissa > 0 && AtLeast(x, 7), negative_far = x.mantissa < 0 && AtLeast(x, 7);
  switch (recipe.function) {
    case RecipeFunction::kExp:
    case RecipeFunction::kExp2:
    case RecipeFunction::kCosh:
      if (positive_far || (negative_far && recipe.function == RecipeFunction::kCosh)) return Infinity::kPlus;
      break;
    case RecipeFunction::kExpNegative:
      if (negative_far) return Infinity::kPlus;
      break;
    case RecipeFunction::kSinh:
      if (positive_far) return Infinity::kPlus;
      if (negative_far) return Infinity::kMinus;
      break;
    case RecipeFunction::kLog:
    case RecipeFunction::kLog2:
      if (x.mantissa <= 0) return Infinity::kMinus;
      break;
    case RecipeFunction::kSqrt: x.mantissa = std::max<int64_t>(x.mantissa, 0); break;
    case RecipeFunction::kRsqrt:
      if (x.mantissa <= 0) return Infinity::kPlus;
      break;
    case RecipeFunction::kReciprocal:
      if (x.mantissa == 0) return Infinity::kPlus;
      break;
    case RecipeFunction::kPower:
      if (recipe.alpha.denominator != 1) x.mantissa = std::max<int64_t>(x.mantissa, 0);
      if (x.mantissa == 0 && recipe.alpha.numerator < 0) return Infinity::kPlus;
      break;
    case RecipeFunction::kAsin:
    case RecipeFunction::kAcos: x.mantissa = std::clamp(x.mantissa, -one, one); break;
    case RecipeFunction::kAcosh: x.mantissa = std::max(x.mantissa, one); break;
    case RecipeFunction::kAtanh:
      if (x.mantissa >= one) return Infinity::kPlus;
      if (x.mantissa <= -one) return Infinity::kMinus;
      break;
    default: break;
  }
  return Infinity::kNone;
}

template <int N>
std::optional<Fraction<N>> RationalValue(const Recipe& r, const Dyadic& x) {
  const bool zero = x.mantissa == 0, positive = x.mantissa > 0;
  const auto at_zero = [&](int64_t p, int64_t q) -> std::optional<Fraction<N>> {
    if (!zero) return std::nullopt;
    return Fraction<N>{Int<N>(p), Int<N>(q)};
  };
  switch (r.function) {
    case RecipeFunction::kExp:
    case RecipeFunction::kExpNegative:
    case RecipeFunction::kCos:
    case RecipeFunction::kCosh: return at_zero(1, 1);
    case RecipeFunction::kExp2:
      if (!IsWhole(x)) return std::nullopt;
      return Whole(Int<N>(1).TimesPowerOfTwo(Floor(x)));
    case RecipeFunction::kLog:
    case RecipeFunction::kAcos:
    case RecipeFunction::kAcosh:
      if (CompareWithOne(x) != 0) return std::nullopt;
      return Whole(Ball<N>());
    case RecipeFunction::kLog2:
      if (!std::has_single_bit(static_cast<uint64_t>(x.mantissa))) return std::nullopt;
      return Whole(Int<N>(std::countr_zero(static_cast<uint64_t>(x.mantissa)) - x.shift));
    case RecipeFunction::kSigmoid: return at_zero(1, 2);
    case RecipeFunction::kTanh:
    case RecipeFunction::kErf:
    case RecipeFunction::kGelu:
    case RecipeFunction::kGeluTanh:
    case RecipeFunction::kGeluSigmoid:
    case RecipeFunction::kSilu:
    case RecipeFunction::kMish:
    case RecipeFunction::kSin:
    case RecipeFunction::kTan:
    case RecipeFunction::kAsin:
    case RecipeFunction::kAtan:
    case RecipeFunction::kSinh:
    case RecipeFunction::kAsinh:
    case RecipeFunction::kAtanh: return at_zero(0, 1);
    case RecipeFunction::kSoftplus: return std::nullopt;
    case RecipeFunction::kSoftsign: return Fraction<N>{Value<N>(x), Int<N>(1) + Value<N>(x).Abs()};
    case RecipeFunction::kElu:
    case RecipeFunction::kCelu:
      if (positive) return Whole(Value<N>(x));
      return r.alpha.numerator == 0 ? Whole(Ball<N>()) : at_zero(0, 1);
    case RecipeFunction::kSelu:
      if (positive) return Fraction<N>{Int<N>(r.beta.numerator) * Value<N>(x), Int<N>(r.beta.denominator)};
      return r.alpha.numerator == 0 || r.beta.numerator == 0 ? Whole(Ball<N>()) : at_zero(0, 1);
    case RecipeFunction::kHardSigmoid: return Ramp<N>(r, x);
    case RecipeFunction::kHardSwish: {
      Fraction<N> y = Ramp<N>(r, x);
      y.numerator = y.numerator * Value<N>(x);
      return y;
    }
    case RecipeFunction::kSqrt:
    case RecipeFunction::kRsqrt: return at_zero(0, 1);
    case RecipeFunction::kReciprocal: return Fraction<N>{Int<N>(positive ? 1 : -1), Value<N>(x).Abs()};
    case RecipeFunction::kPower: {
      const int64_t n = r.alpha.numerator;
      if (n == 0) return Whole(Int<N>(1));
      if (zero) return Whole(Ball<N>());
      if (r.alpha.denominator != 1 || std::abs(n) > 3) return std::nullopt;
      Ball<N> power = Int<N>(1);
      for (int64_t i = 0; i < std::abs(n); ++i) power = power * Value<N>(x);
      if (n > 0) return Whole(power);
      return Fraction<N>{Int<N>(power.negative ? -1 : 1), power.Abs()};
    }
    case RecipeFunction::kFloor: return Whole(Int<N>(Floor(x)));
    case RecipeFunction::kCeil: return Whole(Int<N>(Floor(x) + (IsWhole(x) ? 0 : 1)));
    case RecipeFunction::kRoundHalfEven: return Whole(Int<N>(RoundHalfEven(x)));
    case RecipeFunction::kSign: return Whole(Int<N>(zero ? 0 : positive ? 1 : -1));
    case RecipeFunction::kThreshold: {
      const Int128 left = Int128{x.mantissa} * r.alpha.denominator,
                   right = Int128{r.alpha.numerator} << x.shift;
      return Whole(left > right ? Value<N>(x) : Ball<N>());
    }
    case RecipeFunction::kIdentity: return Whole(Value<N>(x));
  }
  return std::nullopt;
}

// A boundary is a multiple of 2^-63, and so is x: one that is not the asymptote of a function without
// parameters is 2^-63 away from it or more. From 2^power on the function is nearer: by e^-64 or 2^-64 at 64,
// for the identity times |x|; by e^-64 for erf at 8, 16 (1 - Phi(16)) < 2^-180 for gelu, 8 / (1 + e^49.3) <
// 2^-68 for gelu_tanh. With parameters the asymptote is -p / q, at least 2^-63 / q away from another
// boundary, and the function nearer than p / q e^-128.
std::optional<Asymptote> AsymptoteAt(const Recipe& r, const Dyadic& x) {
  // The least power below; that of celu depends on its parameter.
  if (r.function != RecipeFunction::kCelu && !AtLeast(x, 3)) return std::nullopt;
  const bool positive = x.mantissa > 0;
  enum Line { zero, one, minus_one, identity };
  const auto far = [&](int64_t power, Line above, bool above_from_below, Line below,
                       bool below_from_below) -> std::optional<Asymptote> {
    if (!AtLeast(x, power)) return std::nullopt;
    const Line line = positive ? above : below;
    const Ball<8> y = line == identity ? Value<8>(x) : Int<8>(line == zero ? 0 : line == one ? 1 : -1);
    return Asymptote{Whole(y), positive ? above_from_below : below_from_below};
  };
  const auto negative_of = [](int64_t p, int64_t q) -> Asymptote {
    return {{Int<8>(-p), Int<8>(q)}, p < 0};  // a (e^x - 1) approaches -a from above when a > 0
  };
  switch (r.function) {
    case RecipeFunction::kExp:
    case RecipeFunction::kExp2:
    case RecipeFunction::kExpNegative:
      if (positive != (r.function == RecipeFunction::kExpNegative)) return std::nullopt;
      return far(6, zero, false, zero, false);
    case RecipeFunction::kSigmoid: return far(6, one, true, zero, false);
    case RecipeFunction::kTanh: return far(6, one, true, minus_one, false);
    case RecipeFunction::kErf: return far(3, one, true, minus_one, false);
    case RecipeFunction::kGelu: return far(4, identity, true, zero, true);
    case RecipeFunction::kGeluTanh: return far(3, identity, true, zero, true);
    case RecipeFunction::kGeluSigmoid:
    case RecipeFunction::kSilu:
    case RecipeFunction::kMish: return far(6, identity, true, zero, true);
    case RecipeFunction::kSoftplus: return far(6, identity, false, zero, false);
    case RecipeFunction::kElu:
      if (positive || !AtLeast(x, 7)) return std::nullopt;
      return negative_of(r.alpha.numerator, r.alpha.denominator);
    case RecipeFunction::kSelu:
      if (positive || !AtLeast(x, 7)) return std::nullopt;
      return negative_of(r.alpha.numerator * r.beta.numerator, r.alpha.denominator * r.beta.denominator);
    case RecipeFunction::kCelu: {
      const Int128 size = Int128{std::abs(x.mantissa)} * r.alpha.denominator;
      if (positive || size < (Int128{r.alpha.numerator} << x.shift) * 128) return std::nullopt;
      return negative_of(r.alpha.numerator, r.alpha.denominator);
    }
    default: return std::nullopt;
  }
}

template <int N>
Ball<N> Evaluate(const Recipe& r, const Dyadic& dyadic) {
  if (const auto y = RationalValue<N>(r, dyadic)) return y->numerator / y->denominator;
  const Constants<N>& c = Constants<N>::Get();
  const Ball<N> x = Value<N>(dyadic), one = Int<N>(1);
  switch (r.function) {
    case RecipeFunction::kExp: return ExpOf(x);
    case RecipeFunction::kExpNegative: return ExpOf(Ball<N>() - x);
    case RecipeFunction::kExp2: return ExpOf(x * c.ln2);
    case RecipeFunction::kLog: return Log(x);
    case RecipeFunction::kLog2: return Log(x) * c.inverse_ln2;
    case RecipeFunction::kSigmoid: return LogisticOf(x);
    case RecipeFunction::kTanh: return one - Int<N>(2) / (ExpOf(x.TimesPowerOfTwo(1)) + one);
    case RecipeFunction::kErf: return ErrorFunction(x);
    case RecipeFunction::kGelu: return x * (one + ErrorFunction(x * c.sqrt_half)).TimesPowerOfTwo(-1);
    case RecipeFunction::kGeluTanh: {
      const Ball<N> cubic = x + DivideSmall(Int<N>(8943) * x * x * x, 200000);
      return x * LogisticOf(c.sqrt_8_over_pi * cubic);
    }
    case RecipeFunction::kGeluSigmoid: return x * LogisticOf(DivideSmall(Int<N>(851) * x, 500));
    case RecipeFunction::kSilu: return x * LogisticOf(x);
    case RecipeFunction::kMish: {
      const Ball<N> u = ExpOf(x), v = u * (u + Int<N>(2));  // tanh(ln(1 + u)) = v / (v + 2)
      return x * (v / (v + Int<N>(2)));
    }
    case RecipeFunction::kSoftplus: return x.negative ? Log(one + ExpOf(x)) : x + Log(one + ExpOf(-x));
    case RecipeFunction::kElu: return Value<N>(r.alpha) * ExpMinusOne(x);
    case RecipeFunction::kSelu: return Value<N>(r.beta) * Value<N>(r.alpha) * ExpMinusOne(x);
    case RecipeFunction::kCelu: {
      const Ball<N> alpha = Value<N>(r.alpha);
      return alpha * ExpMinusOne(Int<N>(r.alpha.denominator) * x / Int<N>(r.alpha.numerator));
    }
    case RecipeFunction::kSqrt: return Sqrt(x);
    case RecipeFunction::kRsqrt: return one / Sqrt(x);
    case RecipeFunction::kPower: {
      const Ball<N> y = PositivePower(r, x.Abs());
      return x.negative && IsOdd(r.alpha.numerator) ? -y : y;
    }
    case RecipeFunction::kSin: return SinAndCos(x).sin;
    case RecipeFunction::kCos: return SinAndCos(x).cos;
    case RecipeFunction::kTan: {
      const SinCos<N> y = SinAndCos(x);
      return y.sin / y.cos;
    }
    case RecipeFunction::kAsin: return ArcSine(x);
    case RecipeFunction::kAcos: return c.half_pi - ArcSine(x);
    case RecipeFunction::kAtan: return Atan(x);
    case RecipeFunction::kSinh: return (ExpOf(x) - ExpOf(-x)).TimesPowerOfTwo(-1);
    case RecipeFunction::kCosh: return (ExpOf(x) + ExpOf(-x)).TimesPowerOfTwo(-1);
    case RecipeFunction::kAsinh: return ArcSinh(x);
    case RecipeFunction::kAcosh: return Log(x + Sqrt((x - one) * (x + one)));
    case RecipeFunction::kAtanh: return Log((one + x) / (one - x)).TimesPowerOfTwo(-1);
    default: return Ball<N>::Unknown();
  }
}

// For u and v odd, x = u 2^s and c = v 2^t: x^(n / d) = c when s n = t d and u^n = v^d, so for n > 0 when u =
// w^d and v = w^n for some w, and for n < 0 only when u = v = 1.
bool IsExactly(const Recipe& r, const Dyadic& x, const Ball<8>& c) {
  int64_t n = 1, d = 2;
  if (r.function == RecipeFunction::kRsqrt) n = -1;
  if (r.function == RecipeFunction::kPower) {
    n = r.alpha.numerator;
    d = r.alpha.denominator;
  } else if (r.function != RecipeFunction::kSqrt && r.function != RecipeFunction::kRsqrt) {
    return false;
  }
  if (x.mantissa == 0 || !c.exact() || c.IsExactZero()) return false;
  if (c.negative != (x.mantissa < 0 && IsOdd(n))) return false;
  const auto odd_part = [](Limbs<8> magnitude, int64_t exponent, Limbs<8>* odd) {
    int zeros = 0;
    while ((magnitude[static_cast<size_t>(zeros / 64)] >> (zeros % 64) & 1) == 0) ++zeros;
    ShiftRight(magnitude, zeros);
    *odd = magnitude;
    return exponent + zeros;
  };
  Limbs<8> u{}, v{};
  const Ball<8> size = Value<8>(x);
  const int64_t s = odd_part(size.magnitude, size.exponent, &u), t = odd_part(c.magnitude, c.exponent, &v);
  if (Int128{s} * n != Int128{t} * d) return false;
  const Limbs<8> unit = {1};
  if (u == unit || v == unit || n < 0) return u == unit && v == unit;
  if (d > 62 || n > 511) return false;  // w >= 3: w^d = u < 2^62, w^n = v < 2^512
  const auto power = [](uint64_t base, int64_t exponent, Limbs<8>* y) {
    Ball<8> result = Int<8>(1);
    for (int64_t i = 0; i < exponent; ++i) result = result * Int<8>(static_cast<int64_t>(base));
    if (!result.exact()) return false;
    if (result.exponent < 0) ShiftRight(result.magnitude, -result.exponent);
    *y = result.magnitude;
    return result.exponent <= 0;
  };
  uint64_t low = 1, high = (uint64_t{1} << (62 / d)) + 1;  // the d-th root of u, by halving
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    Limbs<8> candidate{};
    if (power(middle, d, &candidate) && !Less(u, candidate)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  Limbs<8> w_d{}, w_n{};
  return power(low, d, &w_d) && w_d == u && power(low, n, &w_n) && w_n == v;
}

template Ball<1> Evaluate<1>(const Recipe&, const Dyadic&);
template Ball<2> Evaluate<2>(const Recipe&, const Dyadic&);
template Ball<4> Evaluate<4>(const Recipe&, const Dyadic&);
template Ball<8> Evaluate<8>(const Recipe&, const Dyadic&);
template std::optional<Fraction<8>> RationalValue<8>(const Recipe&, const Dyadic&);

}  // namespace tally::recipe
