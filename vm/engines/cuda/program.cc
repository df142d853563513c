#include "vm/engines/cuda/program.h"

#include <algorithm>
#include <limits>

#include "base/int_math.h"
#include "base/status_macros.h"
#include "vm/memory_planner.h"

namespace tally::cuda {
namespace {

// A plan has a few buffers more than its module, and so some more pairs that are live at once.
constexpr int64_t kMaxLivePairsOfPlan = 4 * kMaxLivePairs;

}  // namespace

void PlaceBuffers(Program& program, Constants& constants) {
  const auto steps = static_cast<int32_t>(program.steps.size());
  std::vector<BufferRequest> requests(program.buffers.size(), {0, std::numeric_limits<int32_t>::max(), -1});
  const auto use = [&](BufferId id, int32_t step) {
    BufferRequest& request = requests[program.Root(id)];
    request.first = std::min(request.first, step);
    request.last = std::max(request.last, step);
  };
  // Parameters arrive ahead of the first step and results leave behind the last one.
  for (const Value& param : program.params) use(param.buffer, 0);
  for (int32_t s = 0; s < steps; ++s) {
    for (const BufferId id : program.steps[s]->uses()) use(id, s + 1);
    program.host_bytes = std::max(program.host_bytes, program.steps[s]->host_bytes());
  }
  for (const Value& result : program.results) use(result.buffer, steps + 1);

  std::vector<BufferRequest> placed;
  std::vector<Buffer*> owners;
  for (size_t id = 0; id < requests.size(); ++id) {
    Buffer& buffer = program.buffers[id];
    if (buffer.alias_of >= 0 || requests[id].last < 0) continue;
    if (!buffer.host.empty()) {
      buffer.constant = constants.Add(buffer.host);
      continue;
    }
    requests[id].size_bytes = std::max<int64_t>(1, buffer.size_bytes);
    placed.push_back(requests[id]);
    owners.push_back(&buffer);
  }
  const auto plan = PlanMemory(placed, kMaxLivePairsOfPlan);
  for (size_t i = 0; i < placed.size(); ++i) {
    // Side by side, where even that planner refuses.
    owners[i]->offset = plan.ok() ? plan->offsets[i] : program.arena_bytes;
    program.arena_bytes =
        std::max(program.arena_bytes, owners[i]->offset + RoundUp(placed[i].size_bytes, kBufferAlignment));
  }
}

absl::Status RunSteps(const Frame& frame) {
  for (const auto& step : frame.program->steps) RETURN_IF_ERROR(step->Run(frame));
  return absl::OkStatus();
}

}  // namespace tally::cuda
