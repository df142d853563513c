// Unique for devices: neighbours in sorted order that are equal are of one group.
#pragma once

#include "ops/cuda/primitives/prefix_sums_device.h"
#include "ops/cuda/primitives/sort_device.h"

namespace tally::cuda {

// 1 where a group begins among the sorted items. Memory: the items, then x where they have positions alone.
struct GroupTerms {
  ItemCoding coding;
  BySlice slices;

  TALLY_DEVICE int64_t operator()(const Memory& m, int64_t i) const {
    if (i == 0) return 1;
    const uint64_t *items = m.as<uint64_t>(kTermsAt), a = items[i - 1], b = items[i];
    if (coding.has_distance) return a >> coding.position_bits != b >> coding.position_bits ? 1 : 0;
    return slices.Compare(m.at[kTermsAt + 1], 0, a, b) != 0 ? 1 : 0;
  }
};

struct UniqueGroupsParams {
  int64_t n;
  ItemCoding coding;
  Storage number;
};

// Memory: the items, the sums of GroupTerms; i64 lists: the group of each slice, where each group begins
// among the items and where the last one ends, and for each slice 1 if it is the first of its group; the
// number of groups.
TALLY_DEVICE void UniqueGroups(const Thread& t, const Memory& m, const UniqueGroupsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.n) return;
  const int64_t* sums = m.as<int64_t>(1);
  const int64_t position = p.coding.PositionIn(m.as<uint64_t>(0)[i]), group = sums[i] - 1;
  const bool begins = sums[i] != SumBefore(sums, i);
  m.as<int64_t>(2)[position] = group;
  m.as<int64_t>(4)[position] = begins ? 1 : 0;
  if (begins) m.as<int64_t>(3)[group] = i;
  if (i + 1 == p.n) {
    m.as<int64_t>(3)[group + 1] = p.n;
    Store(p.number, m.at[5], 0, group + 1);
  }
}

struct UniqueEntriesParams {
  int64_t n, bound;
  bool sorted;  // entries are in the order of the groups, else in that in which they appear first
  ItemCoding coding;
  Storage first, inverse, count;
};

// The entry of a group whose first slice is at `position`.
TALLY_DEVICE int64_t EntryOf(const UniqueEntriesParams& p, const int64_t* appeared, int64_t group,
                             int64_t position) {
  return p.sorted ? group : appeared[position] - 1;
}

// Memory: the items; the group of each slice, where each group begins, the sums over the slices that are
// first; the results first, inverse and counts; the number of groups in i64. One thread for each slice, and
// for each entry.
TALLY_DEVICE void UniqueEntries(const Thread& t, const Memory& m, const UniqueEntriesParams& p) {
  const int64_t i = t.global_index();
  const uint64_t* items = m.as<uint64_t>(0);
  const int64_t *groups = m.as<int64_t>(1), *begin = m.as<int64_t>(2), *appeared = m.as<int64_t>(3);
  const auto first_of = [&](int64_t group) { return p.coding.PositionIn(items[begin[group]]); };
  if (i < p.n) {
    const int64_t group = groups[i], first = first_of(group), entry = EntryOf(p, appeared, group, first);
    Store(p.inverse, m.at[5], i, entry);
    if (first == i && entry < p.bound) {
      Store(p.first, m.at[4], entry, first);
      Store(p.count, m.at[6], entry, begin[group + 1] - begin[group]);
    }
  }
  const int64_t number = m.as<int64_t>(7)[p.n - 1];
  if (i < p.bound && i >= number) {
    Store(p.first, m.at[4], i, -1);
    Store(p.count, m.at[6], i, 0);
  }
}

struct UniqueValuesParams {
  int64_t count;
  int64_t n, bound, inner;  // x is [outer, n, inner], y is [outer, bound, inner]
  int64_t value;            // after the last entry
  Storage x, y, first;
};

// Memory: x, y, the result first.
TALLY_DEVICE void UniqueValues(const Thread& t, const Memory& m, const UniqueValuesParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t row = i / p.inner, first = Load(p.first, m.at[2], row % p.bound);
  int64_t y = p.value;
  if (first >= 0) y = Load(p.x, m.at[0], (row / p.bound * p.n + first) * p.inner + i % p.inner);
  Store(p.y, m.at[1], i, y);
}

}  // namespace tally::cuda
