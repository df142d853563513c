#include "vm/engines/cuda/observation.h"

#include <algorithm>

#include "base/status_macros.h"

namespace tally::cuda {

absl::Status Observation::Show(const Frame& frame, size_t steps) {
  for (const auto& [at, id, type, value] :
       std::ranges::equal_range(frame.program->shown, steps, {}, &ShownValue::steps)) {
    bytes_.resize(static_cast<size_t>(value.size_bytes()));
    RETURN_IF_ERROR(frame.stream->CopyOut(bytes_, frame.At(value.buffer)));
    RETURN_IF_ERROR(frame.stream->Wait());
    show_(path_, id, type, bytes_);
  }
  return absl::OkStatus();
}

}  // namespace tally::cuda
