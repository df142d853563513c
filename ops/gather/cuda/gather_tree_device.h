// Gather_tree for devices.
#pragma once

#include "ops/gather/cuda/gather_device.h"

namespace tally::cuda {

struct GatherTreeParams {
  int64_t steps, batches, beams;
  Storage step, parent, length, end, y;
};

// Memory: steps, parents, lengths, the end, the result. One thread for each beam: a step is known by the one
// after it.
TALLY_DEVICE void GatherTree(const Thread& t, const Memory& m, const GatherTreeParams& p) {
  const int64_t i = t.global_index(), count = p.batches * p.beams;
  if (i >= count) return;
  const int64_t batch = i / p.beams, end = Load(p.end, m.at[3], 0);
  const int64_t given = Load(p.length, m.at[2], batch);
  const int64_t length = given < 0 ? 0 : given < p.steps ? given : p.steps;
  int64_t beam = i % p.beams, first_end = length;
  for (int64_t step = length - 1; step >= 0; --step) {
    const int64_t at = step * count + batch * p.beams + beam, symbol = Load(p.step, m.at[0], at);
    if (symbol == end) first_end = step;
    Store(p.y, m.at[4], step * count + i, symbol);
    beam = ClampedIndexOf(Load(p.parent, m.at[1], at), p.beams, false);
  }
  for (int64_t step = first_end; step < p.steps; ++step) Store(p.y, m.at[4], step * count + i, end);
}

}  // namespace tally::cuda
