#include "vm/memory_planner.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/int_math.h"
#include "base/strings.h"
#include "vm/labels.h"
#include "vm/limits.h"

namespace tally {
namespace {

int64_t Footprint(const BufferRequest& request) { return RoundUp(request.size_bytes, kBufferAlignment); }

// Pairs of requests that are live at once, as lists of neighbours. Sweeps the requests by first step and
// keeps the ones still live, so the work is the number of pairs.
absl::StatusOr<std::vector<std::vector<int32_t>>> LiveNeighbours(std::span<const BufferRequest> requests,
                                                                 int64_t max_pairs, int64_t* pairs) {
  std::vector<int32_t> by_first(requests.size());
  std::iota(by_first.begin(), by_first.end(), 0);
  std::stable_sort(by_first.begin(), by_first.end(),
                   [&](int32_t a, int32_t b) { return requests[a].first < requests[b].first; });
  std::vector<std::vector<int32_t>> neighbours(requests.size());
  std::vector<int32_t> live;
  for (const int32_t id : by_first) {
    std::erase_if(live, [&](int32_t other) { return requests[other].last < requests[id].first; });
    *pairs += static_cast<int64_t>(live.size());
    if (*pairs > max_pairs) {
      return MakeError(label::live_pairs_limit,
                       absl::StrCat("more than ", kMaxLivePairs, " pairs of values live at once"));
    }
    for (const int32_t other : live) {
      neighbours[id].push_back(other);
      neighbours[other].push_back(id);
    }
    live.push_back(id);
  }
  return neighbours;
}

int64_t LargestLiveBytes(std::span<const BufferRequest> requests) {
  std::vector<std::pair<int32_t, int64_t>> changes;
  for (const BufferRequest& request : requests) {
    changes.emplace_back(request.first, Footprint(request));
    changes.emplace_back(request.last + 1, -Footprint(request));
  }
  std::sort(changes.begin(), changes.end());  // at one step the releases (negative) come first
  int64_t live = 0, largest = 0;
  for (const auto& [step, change] : changes) largest = std::max(largest, live += change);
  return largest;
}

// The lowest offset at which `size` bytes fit between the already placed ranges [begin, end).
int64_t LowestGap(std::vector<std::pair<int64_t, int64_t>>& placed, int64_t size) {
  std::sort(placed.begin(), placed.end());
  int64_t offset = 0;
  for (const auto& [begin, end] : placed) {
    if (offset + size <= begin) break;
    offset = std::max(offset, end);
  }
  return offset;
}

}  // namespace

absl::StatusOr<MemoryPlan> PlanMemory(std::span<const BufferRequest> requests, int64_t max_live_pairs) {
  int64_t total = 0;
  for (const BufferRequest& request : requests) {
    if (request.size_bytes > kMaxArenaBytes || !CheckedAdd(total, Footprint(request), &total) ||
        total > kMaxArenaBytes) {
      return MakeError(label::memory_limit_of_module,
                       absl::StrCat("values of more than ", kMaxArenaBytes, " bytes"));
    }
  }
  MemoryPlan plan;
  auto neighbours = LiveNeighbours(requests, max_live_pairs, &plan.live_pairs);
  if (!neighbours.ok()) return neighbours.status();

  std::vector<int32_t> by_size(requests.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::stable_sort(by_size.begin(), by_size.end(), [&](int32_t a, int32_t b) {
    const int64_t size_a = Footprint(requests[a]), size_b = Footprint(requests[b]);
    return size_a != size_b ? size_a > size_b : requests[a].first < requests[b].first;
  });

  constexpr int64_t kUnplaced = -1;
  plan.offsets.assign(requests.size(), kUnplaced);
  plan.largest_live_bytes = LargestLiveBytes(requests);
  std::vector<std::pair<int64_t, int64_t>> placed;
  for (const int32_t id : by_size) {
    placed.clear();
    for (const int32_t other : (*neighbours)[id]) {
      if (plan.offsets[other] != kUnplaced) {
        placed.emplace_back(plan.offsets[other], plan.offsets[other] + Footprint(requests[other]));
      }
    }
    plan.offsets[id] = LowestGap(placed, Footprint(requests[id]));
    plan.arena_bytes = std::max(plan.arena_bytes, plan.offsets[id] + Footprint(requests[id]));
  }
  return plan;
}

}  // namespace tally
