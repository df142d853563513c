#include "engines/cuda/program.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "engines/cuda/run_hook.h"

namespace tally::cuda {

Program::Program(Schedule schedule, Constants& constants)
    : Schedule(std::move(schedule)), constant_offsets(buffers.size(), -1) {
  const auto use = [&](BufferId id) {
    const BufferId root = Root(id);
    if (buffers[root].is_constant()) constant_offsets[root] = constants.Add(buffers[root].constant);
  };
  for (size_t s = 0; s < steps.size(); ++s) {
    for (const BufferId id : step(s).reads()) use(id);
    host_bytes = std::max(host_bytes, step(s).host_bytes());
  }
  for (const ValueRef& result : results) use(result.buffer);
  for (const ShownValue& value : shown) use(value.value.buffer);
}

absl::Status RunSteps(const Frame& frame) {
  for (size_t s = 0;; ++s) {
    RETURN_IF_ERROR(NotCancelled(frame.cancellation));
    if (frame.hook != nullptr) RETURN_IF_ERROR(frame.hook->After(frame, s));
    if (s == frame.program->steps.size()) return absl::OkStatus();
    RETURN_IF_ERROR(frame.program->step(s).Run(frame));
  }
}

}  // namespace tally::cuda
