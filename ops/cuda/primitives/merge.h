// Launches that sort lines of items (ops/cuda/primitives/merge_device.h).
//
//   const Ref sorted = AddSort(work, {.lines = 8, .n = 1000, .keep = 10}, items, ByNumber{}, items);
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <type_traits>

#include "base/interval.h"
#include "ops/cuda/launch.h"
#include "ops/cuda/primitives/merge_device.h"

namespace tally::cuda {

struct SortedLines {
  int64_t lines, n;  // items of each
  int64_t keep;      // the first ones of each, at most n
};

inline int64_t Quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Bits of a number up to `greatest`.
inline int BitsOf(uint64_t greatest) { return std::bit_width(greatest); }

// Whether items of 64 bits hold the distance of an element from the end of the interval, and its position.
inline bool FitsItems(const Interval& x, int64_t n) { return BitsOf(x.Width()) + BitsOf(n - 1) <= 64; }

// Sorts `items`, [lines, n] of 64 bits, which may change; the kept ones are [lines, keep]. `x`: what the
// order reads.
template <typename Order>
Ref AddSort(Work& work, const SortedLines& s, Ref items, const Order& order, Ref x) {
  constexpr bool kNumbers = std::is_same_v<Order, ByNumber>;
  const int width =
      static_cast<int>(std::min<uint64_t>(kSortTile, std::bit_ceil(static_cast<uint64_t>(s.n))));
  const auto kept_of = [](int64_t n, int64_t run, int64_t keep) {
    return n / run * keep + std::min(n % run, keep);
  };
  int64_t run = std::min<int64_t>(width, s.keep), n = kept_of(s.n, width, run);
  Ref from = work.AddScratch(s.lines * n * kItemBytes), to = items;
  const SortRunsParams<Order> runs = {s.lines, s.n, width, Quotient(s.n, width), run, n, order};
  work.Add(kNumbers ? KernelId::kSortRuns : KernelId::kSortRunsOfSlices,
           {{static_cast<int>(Quotient(runs.lines * runs.runs, kSortTile / width))},
            kSortThreads,
            kSortSharedBytes},
           runs, {items, from, x});
  while (n > run) {
    const int64_t keep = std::min(run * kMergeWays, s.keep), kept = kept_of(n, run * kMergeWays, keep);
    work.Add(kNumbers ? KernelId::kMergeRuns : KernelId::kMergeRunsOfSlices, GridOver(s.lines * n),
             MergeRunsParams<Order>{s.lines * n, n, run, keep, kept, order}, {from, to, x});
    std::swap(from, to);
    run = keep;
    n = kept;
  }
  return from;
}

}  // namespace tally::cuda
