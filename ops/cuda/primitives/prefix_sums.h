// Launches of prefix sums, and of lists of what a condition keeps.
#pragma once

#include "ops/cuda/launch.h"
#include "ops/cuda/primitives/prefix_sums_device.h"

namespace tally::cuda {

// The inclusive sums of `count` terms in i64, by `kernel`, which is PrefixSums<Terms>. `read`: what the terms
// read.
template <typename Terms>
Ref AddPrefixSums(Work& work, KernelId kernel, int64_t count, const Terms& terms,
                  const std::vector<Ref>& read) {
  const int64_t tiles = (count + kSumTile - 1) / kSumTile;
  const Ref sums = work.AddScratch(count * 8), totals = work.AddScratch(tiles * 8);
  std::vector<Ref> memory = {sums, totals};
  memory.insert(memory.end(), read.begin(), read.end());
  work.Add(kernel, {{static_cast<int>(tiles)}, kSumThreads, kSumSharedBytes},
           PrefixSumsParams<Terms>{count, terms}, memory);
  if (tiles > 1) {
    const Ref before = AddPrefixSums(work, KernelId::kPrefixSumsOfStored, tiles, StoredTerms{}, {totals});
    work.Add(KernelId::kAddTotals, GridOver(count), AddTotalsParams{count}, {sums, before});
  }
  return sums;
}

// The elements that the terms keep of each of `lines` of n elements: their positions in i64 [lines, n], and
// how many they are in `number`.
template <typename Terms>
Ref AddKeptList(Work& work, KernelId kernel, int64_t lines, int64_t n, const Terms& terms,
                const std::vector<Ref>& read, Ref number, Storage number_storage) {
  const int64_t count = lines * n;
  const Ref sums = AddPrefixSums(work, kernel, count, terms, read), kept = work.AddScratch(count * 8);
  work.Add(KernelId::kListKept, GridOver(count), ListKeptParams{count, n, number_storage},
           {sums, kept, number});
  return kept;
}

}  // namespace tally::cuda
