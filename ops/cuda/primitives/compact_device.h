// Compact for devices.
#pragma once

#include "ops/cuda/primitives/prefix_sums_device.h"

namespace tally::cuda {

struct MaskTerms {
  Storage mask;
  TALLY_DEVICE int64_t operator()(const Memory& m, int64_t i) const {
    return Load(mask, m.at[kTermsAt], i) != 0 ? 1 : 0;
  }
};

struct TakeKeptParams {
  int64_t count;
  int64_t n, bound, inner;  // x is [outer, n, inner], y is [outer, bound, inner]
  bool of_outer;            // each outer has a list of its own
  int64_t value;            // where nothing is left
  Storage x, y, number;
};

// Memory: x, y, the kept positions in i64, n for a list, how many there are.
TALLY_DEVICE void TakeKept(const Thread& t, const Memory& m, const TakeKeptParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t row = i / p.inner, k = row % p.bound, outer = row / p.bound, list = p.of_outer ? outer : 0;
  int64_t y = p.value;
  if (k < Load(p.number, m.at[3], list)) {
    y = Load(p.x, m.at[0], (outer * p.n + m.as<int64_t>(2)[list * p.n + k]) * p.inner + i % p.inner);
  }
  Store(p.y, m.at[1], i, y);
}

}  // namespace tally::cuda
