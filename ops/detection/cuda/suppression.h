// Launches of greedy suppression.
#pragma once

#include <algorithm>
#include <optional>

#include "ops/cuda/launch.h"
#include "ops/cuda/primitives/merge.h"
#include "ops/detection/cuda/suppression_device.h"

namespace tally::cuda {

// More launches than a call should have, or blocks than a grid has.
constexpr int64_t kMostChunks = 4096;
constexpr int64_t kMostBlocks = int64_t{1} << 31;

inline bool TakesSuppression(int64_t lines, int64_t tested) {
  return tested <= kMostChunks * kChunkOfCandidates && lines * kMaskWords < kMostBlocks;
}

struct KeptCandidates {
  Ref items, counts;  // [lines, slots], i64 [lines]
};

// The suppression of the sorted `items`, [lines, stride]. `params`: all but what concerns chunks.
inline KeptCandidates AddSuppression(Work& work, int64_t lines, SuppressionParams params, Ref items,
                                     Ref boxes, Ref best) {
  params.rows = static_cast<int>(std::clamp<int64_t>(params.tested, 1, kChunkOfCandidates));
  params.words = static_cast<int>(Quotient(params.rows, kGroupOfCandidates));
  const KeptCandidates kept = {work.AddScratch(lines * params.slots * kItemBytes),
                               work.AddScratch(lines * 8)};
  const Ref masks = work.AddScratch(lines * params.rows * params.words * 8);
  const std::vector<Ref> memory = {items, boxes, best, kept.items, kept.counts, masks};
  do {
    work.Add(KernelId::kTestOverlaps,
             {{static_cast<int>(lines * params.words)}, kSuppressionThreads, TestSharedBytes(params.rows)},
             params, memory);
    work.Add(KernelId::kKeepCandidates,
             {{static_cast<int>(lines)}, kSuppressionThreads, ScanSharedBytes(params.rows, params.words)},
             params, memory);
    params.first += params.rows;
  } while (params.first < params.tested);
  return kept;
}

}  // namespace tally::cuda
