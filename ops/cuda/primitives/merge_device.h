// Sorting of lines for devices: runs in shared memory, then merges of four runs each until one is left.
//
// An item stands for an element of its line: a number that sorts as the element does, or the element's
// position. No two items of a line are equal, so every thread finds the place of its own item by searching
// the runs that its run is merged with, and every sort is stable. Of the items that a line ends up with, and
// so of every run, only the first `keep` are kept.
#pragma once

#include "ops/cuda/elements.h"

namespace tally::cuda {

inline constexpr int kSortThreads = 256;
inline constexpr int kSortTile = 1024;  // items of a block
inline constexpr int kMergeWays = 4;
inline constexpr int kItemBytes = 8;
inline constexpr int kSortSharedBytes = 2 * kSortTile * kItemBytes;

// Orders of the items a and b of a line.

struct ByNumber {
  TALLY_DEVICE bool operator()(const Memory&, int64_t, uint64_t a, uint64_t b) const { return a < b; }
};

// Items are positions of slices of x, seen as [outer, n, inner]: slice k has its elements at (o, k, i),
// row-major. Slices are compared lexicographically, equal ones by position. Those of line l begin with
// element l of a slice and have `size` elements: all of one, or a single one. Memory 2: x.
struct BySlice {
  int64_t n, inner, size;
  bool descending;
  Storage storage;

  // Below 0 where slice a comes first, above 0 where b does, 0 where they are equal.
  TALLY_DEVICE int Compare(const uint8_t* x, int64_t line, uint64_t a, uint64_t b) const {
    for (int64_t e = line; e < line + size; ++e) {
      const int64_t first = e / inner * n * inner + e % inner;
      const int64_t of_a = Load(storage, x, first + static_cast<int64_t>(a) * inner);
      const int64_t of_b = Load(storage, x, first + static_cast<int64_t>(b) * inner);
      if (of_a != of_b) return (of_a < of_b) != descending ? -1 : 1;
    }
    return 0;
  }
  TALLY_DEVICE bool operator()(const Memory& m, int64_t line, uint64_t a, uint64_t b) const {
    const int order = Compare(m.at[2], line, a, b);
    return order == 0 ? a < b : order < 0;
  }
};

// The place of item k among those of the runs that are merged with its own, in a line of n items.
template <typename Index, typename At, typename Before>
TALLY_DEVICE Index PlaceInMerge(Index k, Index run, Index n, const At& at, const Before& before) {
  const uint64_t item = at(k);
  const Index own = k / run, first = own / kMergeWays * kMergeWays;
  Index place = k - own * run;
  for (Index other = first; other < first + kMergeWays; ++other) {
    if (other == own) continue;
    const Index begin = other * run;
    Index lo = begin, hi = n - begin < run ? n : begin + run;
    while (lo < hi) {
      const Index middle = lo + (hi - lo) / 2;
      if (before(at(middle), item)) {
        lo = middle + 1;
      } else {
        hi = middle;
      }
    }
    place += lo - begin;
  }
  return place;
}

template <typename Order>
struct SortRunsParams {
  int64_t lines, n;    // items of a line
  int width;           // a run's: a power of 2 up to kSortTile
  int64_t runs;        // a line's
  int64_t keep, kept;  // a run's, at most `width`; of all runs of a line
  Order order;
};

// Memory: the items [lines, n], the kept ones [lines, kept], what the order reads.
template <typename Order>
TALLY_DEVICE void SortRuns(const Thread& t, const Memory& m, const SortRunsParams<Order>& p) {
  constexpr int kOfThread = kSortTile / kSortThreads;
  int64_t line[kOfThread], first[kOfThread];  // the run's: its line, its first item there
  int k[kOfThread], length[kOfThread];        // in the run; of the run
  bool exists[kOfThread];
  TALLY_UNROLL
  for (int j = 0; j < kOfThread; ++j) {
    const int slot = j * kSortThreads + t.x();
    const int64_t run = int64_t{t.block_x()} * (kSortTile / p.width) + slot / p.width;
    line[j] = run / p.runs;
    first[j] = run % p.runs * p.width;
    k[j] = slot % p.width;
    const int64_t rest = p.n - first[j];
    length[j] = rest < p.width ? static_cast<int>(rest) : p.width;
    exists[j] = line[j] < p.lines && k[j] < length[j];
    if (!exists[j]) continue;
    t.StoreShared(slot * kItemBytes, m.as<uint64_t>(0)[line[j] * p.n + first[j] + k[j]]);
  }
  t.Barrier();
  int from = 0, to = kSortTile;
  for (int run = 1; run < p.width; run *= kMergeWays) {
    TALLY_UNROLL
    for (int j = 0; j < kOfThread; ++j) {
      if (!exists[j]) continue;
      const int base = j * kSortThreads + t.x() - k[j];
      const auto at = [&](int i) { return t.LoadShared<uint64_t>((from + base + i) * kItemBytes); };
      const auto before = [&](uint64_t a, uint64_t b) { return p.order(m, line[j], a, b); };
      const int place = PlaceInMerge(k[j], run, length[j], at, before);
      const int group = k[j] - k[j] % (run * kMergeWays);
      t.StoreShared((to + base + group + place) * kItemBytes, at(k[j]));
    }
    t.Barrier();
    const int swapped = from;
    from = to;
    to = swapped;
  }
  TALLY_UNROLL
  for (int j = 0; j < kOfThread; ++j) {
    if (!exists[j] || k[j] >= p.keep) continue;
    m.as<uint64_t>(1)[line[j] * p.kept + first[j] / p.width * p.keep + k[j]] =
        t.LoadShared<uint64_t>((from + j * kSortThreads + t.x()) * kItemBytes);
  }
}

template <typename Order>
struct MergeRunsParams {
  int64_t count, n;    // items of all lines; of one
  int64_t run;         // items of a run, the last one of a line excepted
  int64_t keep, kept;  // for a merged run; for all of a line
  Order order;
};

// Memory: the runs [lines, n], the merged ones [lines, kept], what the order reads. One thread for each item.
template <typename Order>
TALLY_DEVICE void MergeRuns(const Thread& t, const Memory& m, const MergeRunsParams<Order>& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t line = i / p.n, k = i % p.n;
  const uint64_t* items = m.as<uint64_t>(0) + line * p.n;
  const auto at = [&](int64_t j) { return items[j]; };
  const auto before = [&](uint64_t a, uint64_t b) { return p.order(m, line, a, b); };
  const int64_t place = PlaceInMerge(k, p.run, p.n, at, before);
  if (place < p.keep) m.as<uint64_t>(1)[line * p.kept + k / (p.run * kMergeWays) * p.keep + place] = at(k);
}

}  // namespace tally::cuda
