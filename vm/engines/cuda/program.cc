#include "vm/engines/cuda/program.h"

#include <algorithm>

#include "base/status_macros.h"
#include "vm/engines/arena_layout.h"
#include "vm/engines/cuda/run_hook.h"

namespace tally::cuda {
void PlaceBuffers(Program& program, Constants& constants) {
  const auto steps = static_cast<int32_t>(program.steps.size());
  ArenaLayout layout(program.buffers.size());
  const auto use = [&](BufferId id, int32_t step) { layout.Use(program.Root(id), step); };
  // Parameters arrive ahead of the first step and results leave behind the last one.
  for (const Value& param : program.params) use(param.buffer, 0);
  for (int32_t s = 0; s < steps; ++s) {
    for (const BufferId id : program.steps[s]->uses()) use(id, s + 1);
    program.host_bytes = std::max(program.host_bytes, program.steps[s]->host_bytes());
  }
  for (const Value& result : program.results) use(result.buffer, steps + 1);
  for (const ShownValue& shown : program.shown) use(shown.value.buffer, static_cast<int32_t>(shown.steps));

  for (size_t id = 0; id < program.buffers.size(); ++id) {
    Buffer& buffer = program.buffers[id];
    if (buffer.alias_of >= 0 || !layout.IsUsed(id)) continue;
    if (!buffer.host.empty()) {
      buffer.constant = constants.Add(buffer.host);
    } else {
      layout.Add(id, buffer.size_bytes);
    }
  }
  for (const auto& [id, offset] : layout.Place(program.arena_bytes)) program.buffers[id].offset = offset;
}

absl::Status RunSteps(const Frame& frame) {
  const auto& steps = frame.program->steps;
  for (size_t s = 0;; ++s) {
    if (frame.hook != nullptr) RETURN_IF_ERROR(frame.hook->After(frame, s));
    if (s == steps.size()) return absl::OkStatus();
    RETURN_IF_ERROR(steps[s]->Run(frame));
  }
}

}  // namespace tally::cuda
