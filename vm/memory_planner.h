// Where each value is in the arena. Deterministic, because the peak it finds decides what a memory limit
// refuses: the algorithm is part of the specification (docs/spec/execution.md).
//
// Greedy by size: buffers are placed from the largest to the smallest (ties: earlier first step, then lower
// index), each at the lowest 64-byte aligned offset where it overlaps no placed buffer that is live at the
// same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/limits.h"

namespace tally {

inline constexpr int64_t kBufferAlignment = 64;

// Live during the closed range of steps [first, last].
struct BufferRequest {
  int64_t size_bytes = 0;
  int32_t first = 0;
  int32_t last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // one for each request
  int64_t arena_bytes = 0;
  // Lower bound of any plan: the most that is live at one step, sizes rounded up.
  int64_t largest_live_bytes = 0;
  int64_t live_pairs = 0;
};

// Errors: memory_limit_of_module; live_pairs_limit, when more than `max_live_pairs` pairs are live at once.
absl::StatusOr<MemoryPlan> PlanMemory(std::span<const BufferRequest> requests,
                                      int64_t max_live_pairs = kMaxLivePairs);

}  // namespace tally
