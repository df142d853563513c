// The shapers by groups of families: null for operators that their row describes well enough.
#pragma once

#include <algorithm>

#include "fuzz/generators/shaper.h"

namespace tally {

Shaper FindAttentionShaper(Opcode op);
Shaper FindComparisonShaper(Opcode op);
Shaper FindControlShaper(Opcode op);
Shaper FindElementwiseShaper(Opcode op);
Shaper FindImageShaper(Opcode op);  // image, detection
Shaper FindLayoutShaper(Opcode op);
Shaper FindLinearShaper(Opcode op);
Shaper FindLookupShaper(Opcode op);  // gather, table
Shaper FindNormalizationShaper(Opcode op);
Shaper FindPoolingShaper(Opcode op);
Shaper FindRecurrentShaper(Opcode op);
Shaper FindRandomShaper(Opcode op);  // family sampling
Shaper FindReductionShaper(Opcode op);
Shaper FindRescaleShaper(Opcode op);
Shaper FindSortShaper(Opcode op);
Shaper FindSamplingShaper(Opcode op);  // of image, pooling and linear, what samples between pixels

// A shape that broadcasts with `shape`: some leading dims dropped, some dims 1.
Shape BroadcastPartner(ShapeContext& c, const Shape& shape);

// Two operands that broadcast, in either order.
Attempt ShapeBroadcast(ShapeContext& c);

// Appends a window over `length` elements to the lists of attrs; most fit and hold an element.
template <typename Attrs>
void DrawWindow(ShapeContext& c, int64_t length, int64_t taps, Attrs& attrs) {
  const int64_t most_dilated = std::max<int64_t>(length / taps, 1);
  const int64_t dilation = c.e.OneIn(3) ? c.e.Between(1, most_dilated) : 1;
  const int64_t extent = dilation * (taps - 1) + 1, missing = std::max<int64_t>(extent - length, 0);
  attrs.stride.push_back(c.e.OneIn(2) ? c.e.Between(1, 4) : 1);
  attrs.dilation.push_back(dilation);
  attrs.pad_begin.push_back(c.e.OneIn(2) ? c.e.Between(0, std::min<int64_t>(extent - 1, 2)) : 0);
  attrs.pad_end.push_back(missing + (c.e.OneIn(2) ? c.e.Between(0, 1) : 0));
}

}  // namespace tally
