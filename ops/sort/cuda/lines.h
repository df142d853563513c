// The lines of a tensor, sorted.
#pragma once

#include "ops/cuda/lines.h"
#include "ops/cuda/primitives/merge.h"
#include "ops/cuda/primitives/sort_device.h"
#include "ops/kernel.h"

namespace tally::cuda {

inline ItemCoding CodingOf(const Interval& x, int64_t n, bool descending) {
  return {.has_distance = FitsItems(x, n),
          .descending = descending,
          .origin = descending ? x.hi : x.lo,
          .position_bits = BitsOf(n - 1)};
}

// The first `keep` items of every line of operand 0 in order, [lines, keep]. `order`: that of the items where
// they are positions.
inline Ref AddSortedLines(Work& work, int64_t lines, int64_t keep, const ItemCoding& coding,
                          const BySlice& order) {
  const int64_t count = lines * order.n;
  const Ref items = work.AddScratch(count * kItemBytes);
  work.Add(KernelId::kMakeItems, GridOver(count),
           MakeItemsParams{count, order.n, order.inner, coding, order.storage}, {OperandAt(0), items});
  const SortedLines sorted = {lines, order.n, keep};
  if (coding.has_distance) return AddSort(work, sorted, items, ByNumber{}, items);
  return AddSort(work, sorted, items, order, OperandAt(0));
}

}  // namespace tally::cuda
