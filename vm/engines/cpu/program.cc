#include "vm/engines/cpu/program.h"

#include <algorithm>
#include <limits>

#include "base/int_math.h"

namespace tally::cpu {
namespace {

// A plan has a few buffers more than its module, and so some more pairs that are live at once.
constexpr int64_t kMaxLivePairsOfPlan = 4 * kMaxLivePairs;

}  // namespace

void PlaceBuffers(Program& program) {
  const auto last_step = static_cast<int32_t>(program.steps.size());
  std::vector<BufferRequest> uses(program.buffers.size(), {0, std::numeric_limits<int32_t>::max(), -1});
  const auto use = [&](BufferId id, int32_t step) {
    BufferRequest& request = uses[program.Root(id)];
    request.first = std::min(request.first, step);
    request.last = std::max(request.last, step);
  };
  // Parameters arrive ahead of step 0 and results leave behind the last one.
  for (const ValueRef& param : program.params) use(param.buffer, 0);
  for (int32_t s = 0; s < last_step; ++s) {
    for (const BufferId id : program.steps[s]->reads()) use(id, s + 1);
    for (const BufferId id : program.steps[s]->writes()) use(id, s + 1);
  }
  for (const ValueRef& result : program.results) use(result.buffer, last_step + 1);
  for (const ShownValue& shown : program.shown) use(shown.value.buffer, static_cast<int32_t>(shown.steps));

  std::vector<BufferRequest> requests;
  std::vector<BufferId> owners;
  for (BufferId id = 0; id < static_cast<BufferId>(program.buffers.size()); ++id) {
    const Buffer& buffer = program.buffers[id];
    if (buffer.alias_of >= 0 || buffer.constant != nullptr || uses[id].last < 0) continue;
    // What a step reads behind the end counts for nothing, but other parts must not write there meanwhile.
    uses[id].size_bytes = std::max<int64_t>(1, buffer.size_bytes + buffer.overread_bytes);
    requests.push_back(uses[id]);
    owners.push_back(id);
  }
  const auto plan = PlanMemory(requests, kMaxLivePairsOfPlan);
  int64_t end = 0;
  for (size_t i = 0; i < owners.size(); ++i) {
    int64_t offset = end;  // side by side, where even that planner refuses
    if (plan.ok()) offset = plan->offsets[i];
    program.buffers[owners[i]].offset = offset;
    end = std::max(end, offset + RoundUp(requests[i].size_bytes, kBufferAlignment));
  }
  program.arena_bytes = end;
}

void BindExternals(Program& program) {
  const auto bind = [&](const ValueRef& value, size_t external) {
    Buffer& buffer = program.buffers[program.Root(value.buffer)];
    if (buffer.constant != nullptr || buffer.external >= 0 || buffer.overread_bytes > 0) return;
    if (program.buffers[value.buffer].size_bytes != buffer.size_bytes) return;
    buffer.external = static_cast<int32_t>(external);
  };
  for (size_t i = 0; i < program.params.size(); ++i) bind(program.params[i], i);
  for (size_t r = 0; r < program.results.size(); ++r) bind(program.results[r], program.params.size() + r);
}

void LinkWeights(Program& program) {
  std::span<const uint8_t> next;
  for (size_t s = program.steps.size(); s-- > 0;) {
    program.steps[s]->SetNextWeights(next);
    if (!program.steps[s]->weights().empty()) next = program.steps[s]->weights();
  }
}

}  // namespace tally::cpu
