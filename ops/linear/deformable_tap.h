// The elements that a tap of a deformable convolution reads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/common/bilinear.h"

namespace tally {

// x at row v / one and column u / one of a plane of `rows` and `columns`, bilinearly, times one * one.
// `pixel` is asked for pixels inside only; `zero_samples` says what is 0 outside: the whole sample, or
// each of its four pixels.
template <typename Int, typename Pixel>
constexpr Int DeformableTap(const Int& v, const Int& u, const Int& one, bool zero_samples, int64_t rows,
                            int64_t columns, Pixel pixel) {
  const Int zero(int64_t{0});
  const Position<Int> row = PositionOf<Int>(v, one), column = PositionOf<Int>(u, one);
  const auto inside = [&](int64_t h, int64_t w) { return 0 <= h && h < rows && 0 <= w && w < columns; };
  if (zero_samples && !inside(row.index, column.index)) return zero;
  return BilinearSum<Int>(row, column, [&](int64_t h, int64_t w) -> Int {
    if (zero_samples) return Int(pixel(std::min(h, rows - 1), std::min(w, columns - 1)));
    return inside(h, w) ? Int(pixel(h, w)) : zero;
  });
}

}  // namespace tally
