// Boxes as operands have them.
#pragma once

#include "ops/detection/attrs.h"
#include "ops/detection/overlap.h"

namespace tally::detection {

// The box of four elements. A center is doubled; its offset is `2 * offset` then.
template <typename Int>
constexpr Box<Int> BoxOf(BoxEncoding encoding, const std::array<Int, 4>& e) {
  return encoding == BoxEncoding::kCenter ? DoubledBoxOfCenter(e)
                                          : BoxOfCorners(e, encoding == BoxEncoding::kOrderedCorners);
}

}  // namespace tally::detection
