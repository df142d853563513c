// erf for the first pass: its series around the nearest sixteenth takes 18 terms, that around 0 takes up to
// 150.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ops/table/recipe/ball.h"
#include "ops/table/recipe/elementary.h"

namespace tally::recipe {

class ErfByGrid {
 public:
  static const ErfByGrid& Get() {
    static const ErfByGrid grid;
    return grid;
  }

  Ball<1> Erf(const Ball<1>& x) const {
    if (!x.known() || x.IsExactZero()) return x;
    const Ball<1> size = x.Abs();
    const int64_t nearest = RoundHalfUp(size.TimesPowerOfTwo(4), 0);
    if (nearest >= kCentres) return recipe::Erf(x);
    const Ball<1> h = size - Ball<1>::FromInt(nearest).TimesPowerOfTwo(-4);
    if (!h.known() || (!h.IsExactZero() && h.UpperExponent() > -3)) return Ball<1>::Unknown();
    const auto& series = series_[static_cast<size_t>(nearest)];
    Ball<1> y = series.back();
    for (size_t k = kTerms; k-- > 0;) y = y * h + series[k];
    y = y.Widened(-70);
    return x.negative ? -y : y;
  }

 private:
  static constexpr int64_t kCentres = 112;  // up to 7, where erf rounds to 1
  // exp(-z^2) is at most e^16 < 2^24 within 4 of the centre, so the coefficient of h^k is at most 2^(24 - 2
  // k) there and the tail of the integral, for |h| <= 1/8, below 2^(24 - 5 (kTerms + 1)) = 2^-71.
  static constexpr size_t kTerms = 18;

  ErfByGrid() {
    const Ball<2> factor = Constants<2>::Get().two_over_sqrt_pi;
    for (int64_t j = 0; j < kCentres; ++j) {
      const Ball<2> centre = Ball<2>::FromInt(j).TimesPowerOfTwo(-4);
      auto& series = series_[static_cast<size_t>(j)];
      series[0] = Narrowed(recipe::Erf(centre));
      // exp(-(c + h)^2) = sum of b_k h^k, (k + 1) b_(k+1) = -2 c b_k - 2 b_(k-1); erf has factor b_k / (k +
      // 1).
      Ball<2> before, b = Exp(-(centre * centre));
      for (size_t k = 0; k < kTerms; ++k) {
        series[k + 1] = Narrowed(DivideSmall(factor * b, k + 1));
        const Ball<2> next = -DivideSmall((centre * b + before).TimesPowerOfTwo(1), k + 1);
        before = b;
        b = next;
      }
    }
  }

  static Ball<1> Narrowed(const Ball<2>& wide) {
    if (wide.IsExactZero()) return {};
    Ball<1> y;
    y.magnitude = {wide.magnitude[1]};
    y.exponent = wide.exponent + 64;
    y.negative = wide.negative;
    y.radius = ScaleRadius(wide.radius, 64) + (wide.magnitude[0] != 0);
    y.Normalize();
    return y;
  }

  std::array<std::array<Ball<1>, kTerms + 1>, kCentres> series_;
};

}  // namespace tally::recipe
