// The items of sorted lines for devices, and what results have of them. x is seen as [outer, n, inner].
#pragma once

#include "ops/cuda/primitives/merge_device.h"

namespace tally::cuda {

// An item is the distance of an element from the end of its interval that comes first, and below it the
// position; or, where that has no room, the position alone.
struct ItemCoding {
  bool has_distance;
  bool descending;
  int64_t origin;  // the distance 0
  int position_bits;

  TALLY_DEVICE uint64_t ItemOf(int64_t value, int64_t position) const {
    const auto distance = static_cast<uint64_t>(descending ? origin - value : value - origin);
    return (has_distance ? distance << position_bits : 0) | static_cast<uint64_t>(position);
  }
  TALLY_DEVICE int64_t PositionIn(uint64_t item) const {
    return static_cast<int64_t>(item & ((uint64_t{1} << position_bits) - 1));
  }
};

struct MakeItemsParams {
  int64_t count;
  int64_t n, inner;
  ItemCoding coding;
  Storage x;
};

// Memory: x, the items [outer * inner, n].
TALLY_DEVICE void MakeItems(const Thread& t, const Memory& m, const MakeItemsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t line = i / p.n, k = i % p.n;
  const int64_t x = Load(p.x, m.at[0], (line / p.inner * p.n + k) * p.inner + line % p.inner);
  m.as<uint64_t>(1)[i] = p.coding.ItemOf(x, k);
}

struct KeepPositionsParams {
  int64_t count;
  ItemCoding coding;
};

// Memory: the items.
TALLY_DEVICE void KeepPositions(const Thread& t, const Memory& m, const KeepPositionsParams& p) {
  const int64_t i = t.global_index();
  if (i < p.count) m.as<uint64_t>(0)[i] = static_cast<uint64_t>(p.coding.PositionIn(m.as<uint64_t>(0)[i]));
}

struct WriteSortedParams {
  int64_t count;
  int64_t n, kept, inner;  // elements of a line of x, of one of the results
  ItemCoding coding;
  bool values, positions;  // which results there are
  Storage x, value, position;
};

// Memory: the items [outer * inner, kept], x, the values, the positions.
TALLY_DEVICE void WriteSorted(const Thread& t, const Memory& m, const WriteSortedParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t row = i / p.inner, column = i % p.inner, outer = row / p.kept;
  const uint64_t item = m.as<uint64_t>(0)[(outer * p.inner + column) * p.kept + row % p.kept];
  const int64_t position = p.coding.PositionIn(item);
  if (p.values) Store(p.value, m.at[2], i, Load(p.x, m.at[1], (outer * p.n + position) * p.inner + column));
  if (p.positions) Store(p.position, m.at[3], i, position);
}

}  // namespace tally::cuda
