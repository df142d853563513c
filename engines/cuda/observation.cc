#include "engines/cuda/observation.h"

#include <algorithm>

#include "base/status_macros.h"

namespace tally::cuda {

absl::Status Observation::After(const Frame& frame, size_t steps) {
  const auto& all = frame.program->shown;
  for (auto shown = std::ranges::lower_bound(all, steps, {}, &ShownValue::steps);
       shown != all.end() && shown->steps == steps; ++shown) {
    const auto& [at, id, type, value] = *shown;
    bytes_.resize(static_cast<size_t>(value.size_bytes()));
    RETURN_IF_ERROR(frame.stream->CopyOut(bytes_, frame.At(value.buffer)));
    RETURN_IF_ERROR(frame.stream->Wait());
    show_(path_, id, type, bytes_);
  }
  return absl::OkStatus();
}

}  // namespace tally::cuda
