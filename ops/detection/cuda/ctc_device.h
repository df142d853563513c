// Ctc_greedy_decoder for devices, from the best class of each step.
#pragma once

#include "ops/cuda/primitives/prefix_sums_device.h"

namespace tally::cuda {

struct SequenceEndsParams {
  int64_t sequences, steps;
  bool has_mask;
  Storage mask;
};

// Memory: the mask [steps, sequences], the first step of each sequence that it clears, in i64. A warp for
// each sequence.
TALLY_DEVICE void SequenceEnds(const Thread& t, const Memory& m, const SequenceEndsParams& p) {
  const int64_t sequence = t.global_index() / kWarp;
  if (sequence >= p.sequences) return;
  int64_t end = p.steps;
  for (int64_t first = 0; p.has_mask && first < p.steps && end == p.steps; first += kWarp) {
    const int64_t step = first + t.lane();
    if (step < p.steps && Load(p.mask, m.at[0], step * p.sequences + sequence) == 0) end = step;
    for (int mask = kWarp / 2; mask > 0; mask /= 2) {
      const int64_t other = t.ShuffleXor(end, mask);
      end = other < end ? other : end;
    }
  }
  if (t.lane() == 0) m.as<int64_t>(1)[sequence] = end;
}

// 1 for a step that adds a symbol. Memory: the best classes in i32 [sequences, steps], the ends.
struct SymbolTerms {
  int64_t steps, blank;
  bool merge_repeated;

  TALLY_DEVICE int64_t operator()(const Memory& m, int64_t i) const {
    const int32_t* best = m.as<int32_t>(kTermsAt);
    const int64_t step = i % steps;
    if (step >= m.as<int64_t>(kTermsAt + 1)[i / steps] || best[i] == blank) return 0;
    return merge_repeated && step > 0 && best[i] == best[i - 1] ? 0 : 1;
  }
};

}  // namespace tally::cuda
