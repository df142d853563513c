// The lines of a tensor, sorted.
#pragma once

#include "ops/cuda/lines.h"
#include "ops/cuda/prepare_map.h"
#include "ops/sort/merge_cuda.h"
#include "ops/sort/sort_device.h"

namespace tally::cuda {

inline ItemCoding CodingOf(const Interval& x, int64_t n, bool descending) {
  return {.has_distance = FitsItems(x, n),
          .descending = descending,
          .origin = descending ? x.hi : x.lo,
          .position_bits = BitsOf(n - 1)};
}

// The first `keep` items of every line of operand 0 in order, [lines, keep].
inline Ref AddSortedLines(Work& work, const KernelFacts& facts, const LinesAlong& x, int64_t keep,
                          const ItemCoding& coding) {
  const int64_t count = x.lines * x.n;
  const Ref items = work.AddScratch(count * kItemBytes);
  work.Add(KernelId::kMakeItems, GridOver(count),
           MakeItemsParams{count, x.n, x.inner, coding, facts.storages[0]}, {OperandAt(0), items});
  const SortedLines sorted = {x.lines, x.n, keep};
  if (coding.has_distance) return AddSort(work, sorted, items, ByNumber{}, items);
  const BySlice order = {x.n, x.inner, 1, coding.descending, facts.storages[0]};
  return AddSort(work, sorted, items, order, OperandAt(0));
}

}  // namespace tally::cuda
