// Square root, exp, log, atan, sin, cos and erf of balls. Series are cut where their tail is below the last
// bit, and what is cut goes into the radius; arguments outside a function's reduced range give Unknown, never
// a wrong ball.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ops/table/recipe/ball.h"

namespace tally::recipe {

inline constexpr int kTailBits = 4;  // series go on until their tail is below 2^-(64 N + kTailBits)

// y^2 = a by Newton's iteration from a root of 32 bits; the residual a - y^2 certifies the result:
// |sqrt(a) - y| <= |a - y^2| / y.
template <int N>
Ball<N> Sqrt(const Ball<N>& a) {
  if (a.IsExactZero()) return {};
  if (!a.IsPositive()) return Ball<N>::Unknown();
  uint64_t top = a.magnitude[N - 1];
  int64_t top_exponent = a.exponent + 64 * (N - 1);
  if (top_exponent % 2 != 0) {
    top >>= 1;
    ++top_exponent;
  }
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 31; bit != 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= top) root |= bit;
  }
  const Ball<N> middle = a.Midpoint();
  Ball<N> y = Ball<N>::FromInt(static_cast<int64_t>(root)).TimesPowerOfTwo(top_exponent / 2);
  for (int bits = 30; bits < 64 * N; bits *= 2) y = (y + middle / y).Midpoint().TimesPowerOfTwo(-1);
  const Ball<N> residual = a - y * y;
  if (residual.IsExactZero()) return y;
  if (!residual.known() || !y.normal()) return Ball<N>::Unknown();
  return y.Widened(residual.UpperExponent() - (y.UpperExponent() - 3));
}

// Numbers that the series use, computed once for each precision.
template <int N>
class Constants {
 public:
  static constexpr size_t kFactorials = 136, kOdds = 116, kAtans = 17;

  static const Constants& Get() {
    static const Constants constants;
    return constants;
  }

  std::array<Ball<N>, kFactorials> inverse_factorial;  // 1 / n!
  std::array<Ball<N>, kOdds> inverse_odd;              // 1 / (2 n + 1)
  std::array<Ball<N>, kAtans> atan_sixteenth;          // atan(n / 16)
  Ball<N> ln2, inverse_ln2, half_pi, inverse_half_pi, two_over_sqrt_pi, sqrt_half, sqrt_8_over_pi;

 private:
  Constants() {
    const Ball<N> one = Ball<N>::FromInt(1);
    inverse_factorial[0] = one;
    for (size_t n = 1; n < kFactorials; ++n) inverse_factorial[n] = DivideSmall(inverse_factorial[n - 1], n);
    for (size_t n = 0; n < kOdds; ++n) inverse_odd[n] = DivideSmall(one, 2 * n + 1);
    ln2 = Times(18, InverseTangent(26, false)) - Times(2, InverseTangent(4801, false)) +
          Times(8, InverseTangent(8749, false));
    half_pi = Times(8, InverseTangent(5, true)) - Times(2, InverseTangent(239, true));
    inverse_ln2 = one / ln2;
    inverse_half_pi = one / half_pi;
    const Ball<N> pi = half_pi.TimesPowerOfTwo(1);
    two_over_sqrt_pi = Ball<N>::FromInt(2) / Sqrt(pi);
    sqrt_half = Sqrt(one.TimesPowerOfTwo(-1));
    sqrt_8_over_pi = Sqrt(Ball<N>::FromInt(8) / pi);
    // atan(n / 16) - atan((n - 1) / 16) = atan(16 / (256 + n (n - 1)))
    for (size_t n = 1; n < kAtans; ++n) {
      const Ball<N> z = Ball<N>::FromInt(16) / Ball<N>::FromInt(static_cast<int64_t>(256 + n * (n - 1)));
      atan_sixteenth[n] =
          atan_sixteenth[n - 1] + SumOddPowers(*this, z, 64 * N / 7 + 2, true).Widened(-64 * N - 2);
    }
  }

  static Ball<N> Times(int64_t factor, const Ball<N>& x) { return Ball<N>::FromInt(factor) * x; }

  // atan(1 / n) or atanh(1 / n): sum of (-+1)^k / ((2 k + 1) n^(2 k + 1)), whose tail is below twice its
  // first term.
  static Ball<N> InverseTangent(uint64_t n, bool alternating) {
    Ball<N> power = DivideSmall(Ball<N>::FromInt(1), n), sum = power;
    for (uint64_t k = 1; power.UpperExponent() > -64 * N - kTailBits; ++k) {
      power = DivideSmall(DivideSmall(power, n), n);
      const Ball<N> term = DivideSmall(power, 2 * k + 1);
      sum = alternating && k % 2 == 1 ? sum - term : sum + term;
    }
    return sum.Widened(-64 * N - kTailBits + 1);
  }

 public:
  // z - z^3/3 + z^5/5 ... (alternating) or with plus signs: `terms` terms, whose tail the caller adds.
  static Ball<N> SumOddPowers(const Constants& c, const Ball<N>& z, int terms, bool alternating) {
    Ball<N> square = z * z;
    if (alternating) square.negative = !square.negative;
    Ball<N> sum = c.inverse_odd[static_cast<size_t>(terms) - 1];
    for (size_t k = static_cast<size_t>(terms) - 1; k-- > 0;) sum = sum * square + c.inverse_odd[k];
    return sum * z;
  }
};

// exp(x) = 2^k exp(r)^(2^s), r = (x - k ln 2) / 2^s, |r| <= 2^-s.
template <int N>
Ball<N> Exp(const Ball<N>& x) {
  if (x.IsExactZero()) return Ball<N>::FromInt(1);
  if (!x.known() || x.UpperExponent() > 40) return Ball<N>::Unknown();
  const Constants<N>& c = Constants<N>::Get();
  constexpr int kHalvings = 4 + 2 * N;
  constexpr int kTerms = [] {
    int terms = 1;
    for (int bits = 0; bits < 64 * N + kTailBits; ++terms) {
      bits += kHalvings;
      for (int n = terms; n > 1; n /= 2) ++bits;  // floor(log2 n) of the factorial
    }
    return terms;
  }();
  const int64_t k = RoundHalfUp(x * c.inverse_ln2, 0);
  const Ball<N> r = (x - Ball<N>::FromInt(k) * c.ln2).TimesPowerOfTwo(-kHalvings);
  // |r| <= 2^-s whatever k is; the nearest k makes it 0.35 2^-s.
  if (!r.known() || (!r.IsExactZero() && r.UpperExponent() > -kHalvings)) return Ball<N>::Unknown();
  Ball<N> y = c.inverse_factorial[kTerms - 1];
  for (size_t n = kTerms - 1; n-- > 0;) y = y * r + c.inverse_factorial[n];
  y = y.Widened(-64 * N - kTailBits + 1);
  for (int i = 0; i < kHalvings; ++i) y = y * y;
  return y.TimesPowerOfTwo(k);
}

// log(x) = k ln 2 + 2 atanh((m - 1) / (m + 1)), x = m 2^k, m in [3/4, 3/2): the quotient is within 1/5.
template <int N>
Ball<N> Log(const Ball<N>& x) {
  // A mantissa that is known to 13 bits keeps the quotient, and with it the tail, where they are claimed to
  // be.
  if (!x.IsPositive() || (N == 1 && x.radius >> 50 != 0)) return Ball<N>::Unknown();
  const Constants<N>& c = Constants<N>::Get();
  const bool large = (x.magnitude[N - 1] >> 62) == 3;
  const int64_t k = x.exponent + 64 * N - (large ? 0 : 1);
  const Ball<N> m = x.TimesPowerOfTwo(-k), one = Ball<N>::FromInt(1);
  const Ball<N> z = (m - one) / (m + one);
  constexpr int kTerms = (64 * N + kTailBits) * 10 / 46 + 1;  // log2(25) > 4.6
  const Ball<N> y = Constants<N>::SumOddPowers(c, z, kTerms, false).TimesPowerOfTwo(1);
  const Ball<N> sum = y + Ball<N>::FromInt(k) * c.ln2;
  return z.IsExactZero() ? sum : sum.Widened(-64 * N - kTailBits + 1);
}

// atan(x) = atan(c) + atan((x - c) / (1 + x c)) with c the nearest sixteenth: the quotient is within 1/32.
// Above 1, atan(x) = pi/2 - atan(1/x).
template <int N>
Ball<N> Atan(const Ball<N>& x) {
  if (!x.known()) return x;
  const Constants<N>& c = Constants<N>::Get();
  const Ball<N> one = Ball<N>::FromInt(1), size = x.Abs();
  const bool inverted = size.normal() && size.exponent + 64 * N > 0;  // |x| >= 1
  const Ball<N> t = inverted ? one / size : size;
  const int64_t nearest = RoundHalfUp(t.TimesPowerOfTwo(4), 0);
  if (!t.known() || nearest > 16) return Ball<N>::Unknown();
  const Ball<N> centre = Ball<N>::FromInt(nearest).TimesPowerOfTwo(-4);
  const Ball<N> z = (t - centre) / (one + t * centre);
  if (!z.known() || (!z.IsExactZero() && z.UpperExponent() > -3)) return Ball<N>::Unknown();
  constexpr int kTerms = (64 * N + kTailBits) / 6 + 2;  // |z| <= 1/8 is what was just checked
  Ball<N> y = c.atan_sixteenth[static_cast<size_t>(nearest)] + Constants<N>::SumOddPowers(c, z, kTerms, true);
  if (!z.IsExactZero()) y = y.Widened(-64 * N - kTailBits + 1);
  if (inverted) y = c.half_pi - y;
  return x.negative ? -y : y;
}

template <int N>
struct SinCos {
  Ball<N> sin, cos;
};

// x = k pi/2 + r, |r| <= 1; the quadrant k turns the pair.
template <int N>
SinCos<N> SinAndCos(const Ball<N>& x) {
  if (!x.known()) return {x, x};
  const Constants<N>& c = Constants<N>::Get();
  const int64_t k = RoundHalfUp(x * c.inverse_half_pi, 0);
  const Ball<N> r = x - Ball<N>::FromInt(k) * c.half_pi;
  if (!r.known() || (!r.IsExactZero() && r.UpperExponent() > 1))
    return {Ball<N>::Unknown(), Ball<N>::Unknown()};
  // |r| < 2 whatever k is: the terms 2^n / n! of both series fall below 2^-(64 N + 4).
  constexpr int kTerms = [] {
    int n = 1;
    for (int bits = 0; bits < 64 * N + kTailBits + 2; ++n) {
      --bits;
      for (int m = n; m > 1; m /= 2) ++bits;
    }
    return n / 2 + 1;
  }();
  static_assert(2 * kTerms < static_cast<int>(Constants<N>::kFactorials));
  Ball<N> square = r * r;
  square.negative = !square.negative;
  Ball<N> sin = c.inverse_factorial[2 * kTerms - 1], cos = c.inverse_factorial[2 * kTerms - 2];
  for (size_t n = kTerms - 1; n-- > 0;) {
    sin = sin * square + c.inverse_factorial[2 * n + 1];
    cos = cos * square + c.inverse_factorial[2 * n];
  }
  sin = sin * r;
  if (!r.IsExactZero()) {
    sin = sin.Widened(-64 * N - kTailBits + 1);
    cos = cos.Widened(-64 * N - kTailBits + 1);
  }
  switch (k & 3) {
    case 0: return {sin, cos};
    case 1: return {cos, -sin};
    case 2: return {-sin, -cos};
    default: return {-cos, sin};
  }
}

// erf(x) = 2/sqrt(pi) exp(-x^2) sum of 2^n x^(2 n + 1) / (1 3 5 ... (2 n + 1)): no cancellation. Where
// exp(-x^2), which is above 1 - erf(x), is below the last bit, 1.
template <int N>
Ball<N> Erf(const Ball<N>& x) {
  if (!x.known() || x.IsExactZero()) return x;
  const Constants<N>& c = Constants<N>::Get();
  const Ball<N> size = x.Abs(), square = size * size;
  if (!square.known() || square.UpperExponent() > 60) return Ball<N>::Unknown();
  const int64_t rounded_square = RoundHalfUp(square, 1);
  Ball<N> y;
  if (RoundHalfUp(square, -1) > 45 * N + 4) {  // 0.6931 (64 N + 4) < 45 N + 3
    y = Ball<N>::FromInt(1).Widened(-64 * N - kTailBits);
  } else {
    const Ball<N> twice = square.TimesPowerOfTwo(1);
    Ball<N> term = size, sum = size;
    const int64_t cut = 64 * N + kTailBits;
    // Once 2 x^2 <= (2 n + 1) / 2, each term is less than half of the one before.
    for (uint64_t n = 1; term.known() && (term.UpperExponent() > sum.UpperExponent() - cut ||
                                          static_cast<int64_t>(2 * n) < 4 * rounded_square + 4);
         ++n) {
      term = DivideSmall(term * twice, 2 * n + 1);
      sum = sum + term;
    }
    if (!term.known()) return term;
    sum = sum.Widened(term.UpperExponent());
    y = c.two_over_sqrt_pi * Exp(-square) * sum;
  }
  return x.negative ? -y : y;
}

}  // namespace tally::recipe
