// Boxes whose corners are c - sqrt(s) and c + sqrt(s) for rational c and s, on a grid of integers: every
// coordinate is rounded once, half up, and exactly. Nothing here is floating point.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "base/int_math.h"
#include "base/strings.h"
#include "ops/tensor_type.h"

namespace tally::detection {

using BigInt = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

inline Rational Fraction(int64_t numerator, int64_t denominator) {
  return Rational(BigInt(numerator), BigInt(denominator));
}

// floor(base + 1/2 + sign * sqrt(square)), square >= 0 and sign -1 or 1.
inline BigInt RoundWithRoot(const Rational& base, int sign, const Rational& square) {
  const Rational shifted = base + Fraction(1, 2);
  const BigInt n = numerator(shifted), d = denominator(shifted);
  // floor((n + x) / d) with x = sign * sqrt(square) * d is floor((n + floor(x)) / d), for n and d are
  // integers.
  const Rational scaled = square * d * d;
  BigInt root = sqrt(BigInt(numerator(scaled) / denominator(scaled)));
  if (sign < 0 && Rational(BigInt(root * root)) != scaled) ++root;
  return FloorDiv<BigInt>(BigInt(n + sign * root), d);
}

// One box of every grid cell, in pixels relative to the cell's middle. The sides are given by their squares.
struct CellBox {
  Rational dx, dy;
  Rational width_squared, height_squared;
  bool clip = false;
};

// Where the middle of cell (h, w) is, and what becomes of the coordinates.
struct CellGrid {
  int64_t rows = 1, columns = 1;
  Rational row_step, column_step,
      offset;                 // the middle is ((w + offset) * column_step, (h + offset) * row_step)
  Rational y_scale, x_scale;  // units of the grid in a pixel
  int64_t clip_hi = 0;        // boxes that clip are in [0, clip_hi]
};

inline constexpr int64_t kMaxGridElements = int64_t{1}
                                            << 22;  // 16 MiB of 32-bit coordinates; SSD512 has 98,256

// The corners [x1, y1, x2, y2] of every box of every cell: row by row, cell by cell, box by box.
// Error lowering_operands when they are too many or leave the elements of a tensor.
absl::StatusOr<std::vector<int64_t>> CornersOfGrid(const CellGrid& grid, const std::vector<CellBox>& boxes);

}  // namespace tally::detection
