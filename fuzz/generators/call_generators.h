// The generators of calls by groups of families: null for operators that their row describes well enough.
#pragma once

#include <algorithm>

#include "fuzz/generators/call_generator.h"

namespace tally {

CallGenerator FindAttentionCallGenerator(Opcode op);
CallGenerator FindComparisonCallGenerator(Opcode op);
CallGenerator FindControlCallGenerator(Opcode op);
CallGenerator FindElementwiseCallGenerator(Opcode op);
CallGenerator FindImageCallGenerator(Opcode op);  // image, detection
CallGenerator FindLayoutCallGenerator(Opcode op);
CallGenerator FindLinearCallGenerator(Opcode op);
CallGenerator FindLookupCallGenerator(Opcode op);  // gather, table
CallGenerator FindNormalizationCallGenerator(Opcode op);
CallGenerator FindPoolingCallGenerator(Opcode op);
CallGenerator FindRecurrentCallGenerator(Opcode op);
CallGenerator FindRandomCallGenerator(Opcode op);  // family sampling
CallGenerator FindReductionCallGenerator(Opcode op);
CallGenerator FindRescaleCallGenerator(Opcode op);
CallGenerator FindSortCallGenerator(Opcode op);
// Those of image, pooling and linear that sample between pixels.
CallGenerator FindSamplingCallGenerator(Opcode op);

// A shape that broadcasts with `shape`: some leading dims dropped, some dims 1.
Shape BroadcastPartner(CallContext& c, const Shape& shape);

// Two operands that broadcast, in either order.
Attempt DrawBroadcast(CallContext& c);

// Appends a window over `length` elements to the lists of attrs; most fit and hold an element.
template <typename Attrs>
void DrawWindow(CallContext& c, int64_t length, int64_t taps, Attrs& attrs) {
  const int64_t most_dilated = std::max<int64_t>(length / taps, 1);
  const int64_t dilation = c.e.OneIn(3) ? c.e.Between(1, most_dilated) : 1;
  const int64_t extent = dilation * (taps - 1) + 1, missing = std::max<int64_t>(extent - length, 0);
  attrs.stride.push_back(c.e.OneIn(2) ? c.e.Between(1, 4) : 1);
  attrs.dilation.push_back(dilation);
  attrs.pad_begin.push_back(c.e.OneIn(2) ? c.e.Between(0, std::min<int64_t>(extent - 1, 2)) : 0);
  attrs.pad_end.push_back(missing + (c.e.OneIn(2) ? c.e.Between(0, 1) : 0));
}

}  // namespace tally
