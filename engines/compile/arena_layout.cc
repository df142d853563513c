#include "engines/compile/arena_layout.h"

#include <algorithm>
#include <limits>

#include "base/int_math.h"

namespace tally {
namespace {

// A plan has a few buffers more than its module, and so some more pairs that are live at once.
constexpr int64_t kMaxLivePairsOfPlan = 4 * kMaxLivePairs;

// An arena of which more would be asked for is one that no machine has.
constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 64 * 64;

}  // namespace

ArenaLayout::ArenaLayout(size_t num_buffers)
    : lifetimes_(num_buffers, {0, std::numeric_limits<int32_t>::max(), -1}) {}

void ArenaLayout::Use(size_t buffer, int32_t step) {
  BufferRequest& lifetime = lifetimes_[buffer];
  lifetime.first = std::min(lifetime.first, step);
  lifetime.last = std::max(lifetime.last, step);
}

void ArenaLayout::Add(size_t buffer, int64_t size_bytes) {
  const BufferRequest& lifetime = lifetimes_[buffer];
  added_.push_back(buffer);
  requests_.push_back({std::max<int64_t>(1, size_bytes), lifetime.first, lifetime.last});
}

std::vector<ArenaLayout::Placed> ArenaLayout::Place(int64_t& arena_bytes) const {
  const auto plan = PlanMemory(requests_, kMaxLivePairsOfPlan);
  std::vector<Placed> placed;
  arena_bytes = 0;
  for (size_t i = 0; i < added_.size(); ++i) {
    // Side by side, where even that planner refuses.
    const int64_t offset = plan.ok() ? plan->offsets[i] : arena_bytes;
    placed.push_back({added_[i], offset});
    const Int128 end = Int128{offset} + RoundUp(requests_[i].size_bytes, kBufferAlignment);
    arena_bytes = std::max(arena_bytes, static_cast<int64_t>(std::min<Int128>(end, kMost)));
  }
  return placed;
}

}  // namespace tally
