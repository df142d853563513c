// Rows of boxes as CVM's suppression has them.
#pragma once

#include <cstdint>

#include "ops/detection/attrs.h"
#include "ops/detection/boxes.h"
#include "ops/reference.h"

namespace tally::detection {

// floor(100 * part / whole) for 0 <= part <= whole and whole > 0, without the product: `rest` and `ratio`
// follow part * d = ratio * whole + rest over the binary prefixes d of 100, so nothing exceeds 3 * whole.
template <typename Int>
Int Percent(const Int& part, const Int& whole) {
  Int ratio = 0, rest = 0;
  for (int bit = 64; bit > 0; bit /= 2) {
    ratio = Int(ratio + ratio);
    rest = Int(rest + rest);
    if ((100 & bit) != 0) rest = Int(rest + part);
    while (rest >= whole) {  // at most twice
      rest = Int(rest - whole);
      ratio = Int(ratio + 1);
    }
  }
  return ratio;
}

// The rows [id, score, x1, y1, x2, y2] of one batch.
template <typename Int>
class Rows {
 public:
  Rows(const Operand<Int>& x, int64_t b) : x_(x), first_(b * x.shape()[1] * 6) {}

  Int at(int64_t row, int64_t k) const { return x_[first_ + row * 6 + k]; }
  Int id(int64_t row) const { return at(row, 0); }
  Int score(int64_t row) const { return at(row, 1); }

  bool Suppress(int64_t p, int64_t q, const NonMaxSuppressionAttrs& attrs) const {
    return (attrs.force_suppress || id(p) == id(q)) && PercentOf(p, q) >= attrs.iou_threshold;
  }

 private:
  // Percentage of the union of two boxes that both cover, rounded down.
  Int PercentOf(int64_t p, int64_t q) const {
    const Overlap<Int> overlap = OverlapOf(box(p), box(q), Int(0));
    return overlap.both == 0 ? Int(0) : Percent(overlap.both, overlap.either);
  }

  Box<Int> box(int64_t row) const {
    return BoxOf<Int>(BoxEncoding::kOrderedCorners, {at(row, 2), at(row, 3), at(row, 4), at(row, 5)});
  }

  const Operand<Int>& x_;
  int64_t first_;
};

}  // namespace tally::detection
