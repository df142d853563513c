// The rows of CVM's detections for devices: which are valid, and which non_max_suppression keeps.
#pragma once

#include "ops/cuda/primitives/prefix_sums_device.h"
#include "ops/cuda/primitives/sort_device.h"

namespace tally::cuda {

inline constexpr int kRankedFields = 6;  // id, score, x1, y1, x2, y2
inline constexpr int kScoreField = 1;

// 1 for a row whose score is above the threshold. Memory: the rows.
struct ValidTerms {
  int64_t fields, threshold;
  Storage x;
  TALLY_DEVICE int64_t operator()(const Memory& m, int64_t i) const {
    return Load(x, m.at[kTermsAt], i * fields + kScoreField) > threshold ? 1 : 0;
  }
};

struct RankedItemsParams {
  int64_t count;
  int64_t n;  // rows of a batch
  ItemCoding coding;
  uint64_t distances;  // for scores; rows after the valid ones are as far
  Storage x, valid;
};

// Memory: x, the counts of valid rows, the items [batches, n].
TALLY_DEVICE void RankedItems(const Thread& t, const Memory& m, const RankedItemsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t row = i % p.n;
  uint64_t item = p.distances << p.coding.position_bits | static_cast<uint64_t>(row);
  if (row < Load(p.valid, m.at[1], i / p.n)) {
    item = p.coding.ItemOf(Load(p.x, m.at[0], i * kRankedFields + kScoreField), row);
  }
  m.as<uint64_t>(2)[i] = item;
}

struct WriteRankedParams {
  int64_t count;
  int64_t n, slots;  // rows and kept items of a batch
  ItemCoding coding;
  Storage x, y;
};

// Memory: x, the kept items [batches, slots], how many those are, y.
TALLY_DEVICE void WriteRanked(const Thread& t, const Memory& m, const WriteRankedParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t row = i / kRankedFields, batch = row / p.n, k = row % p.n;
  int64_t y = -1;
  if (k < m.as<int64_t>(2)[batch]) {
    const int64_t from = p.coding.PositionIn(m.as<uint64_t>(1)[batch * p.slots + k]);
    y = Load(p.x, m.at[0], (batch * p.n + from) * kRankedFields + i % kRankedFields);
  }
  Store(p.y, m.at[3], i, y);
}

}  // namespace tally::cuda
