// Sampling between the pixels of an image, in exact rational arithmetic.
//
//   const Position<Int> v = PositionOf<Int>(3 * unit / 2, unit);          // a pixel and a half below the first
//   const Int sum = BilinearSum(v, u, [&](int64_t i, int64_t j) { return x[...]; });
//   const Int y = RoundedQuotient<Int>(sum, v.whole * u.whole, 0);        // the only rounding
//
// A position is a numerator over a positive whole. The weights of two neighbours are the two parts of the
// whole, so four taps sum to the interpolated value times whole * whole, without any rounding. Range: the
// type rules prove it (ops/common/sampling_bounds.h).
#pragma once

#include <cstdint>

#include "base/division.h"
#include "base/int_math.h"

namespace tally {

// index + part / whole, 0 <= part < whole.
template <typename Int>
struct Position {
  int64_t index;
  Int part;
  Int whole;
};

template <typename Int>
constexpr Position<Int> PositionOf(const Int& numerator, const Int& whole) {
  const Int index = FloorDiv<Int>(numerator, whole);
  return {static_cast<int64_t>(index), Int(numerator - index * whole), whole};
}

// Calls visit(weight, row, column) for the pixel at y.index and x.index and its neighbours below and to the
// right. One of weight 0 may be outside: a position on the last row needs no row after it.
template <typename Int, typename Visit>
constexpr void VisitWeights(const Position<Int>& y, const Position<Int>& x, Visit visit) {
  const Int of_y[] = {Int(y.whole - y.part), y.part}, of_x[] = {Int(x.whole - x.part), x.part};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) visit(Int(of_y[i] * of_x[j]), y.index + i, x.index + j);
  }
}

// Calls visit(weight * pixel(row, column)) for each of them. One without weight is not asked for and counts
// as 0.
template <typename Int, typename Pixel, typename Visit>
constexpr void VisitTaps(const Position<Int>& y, const Position<Int>& x, Pixel pixel, Visit visit) {
  const Int zero(int64_t{0});
  VisitWeights(y, x, [&](const Int& weight, int64_t row, int64_t column) {
    visit(weight == zero ? zero : Int(weight * pixel(row, column)));
  });
}

// The value between those four, times y.whole * x.whole.
template <typename Int, typename Pixel>
constexpr Int BilinearSum(const Position<Int>& y, const Position<Int>& x, Pixel pixel) {
  Int sum(int64_t{0});
  VisitTaps(y, x, pixel, [&](const Int& term) { sum = Int(sum + term); });
  return sum;
}

// sum * 2^fraction / divisor, to nearest, ties toward +infinity.
template <typename Int>
constexpr Int RoundedQuotient(const Int& sum, const Int& divisor, int64_t fraction) {
  return RoundDiv<Int>(Rounding::kHalfUp, Int(sum * Int(int64_t{1} << fraction)), divisor);
}

template <typename Int>
constexpr Int Clamped(const Int& value, const Int& lo, const Int& hi) {
  return value < lo ? lo : value > hi ? hi : value;
}

// value clamped to [0, last]: an index that data gives, of an image or of a row.
template <typename Int>
constexpr int64_t ClampedIndex(const Int& value, int64_t last) {
  if (value < Int(int64_t{0})) return 0;
  return value > Int(last) ? last : static_cast<int64_t>(value);
}

}  // namespace tally
