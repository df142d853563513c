// Tables for devices.
#pragma once

#include "ops/cuda/elements.h"

namespace tally::cuda {

struct TableParams {
  int64_t count;
  int64_t offset, last;  // x reads entry clamp(x - offset, 0, last)
  Storage x, table, y;
};

// Memory: x, the table, the result. One thread for each element.
TALLY_DEVICE void LookUp(const Thread& t, const Memory& m, const TableParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t index = Load(p.x, m.at[0], i) - p.offset;
  Store(p.y, m.at[2], i, Load(p.table, m.at[1], index < 0 ? 0 : index < p.last ? index : p.last));
}

}  // namespace tally::cuda
