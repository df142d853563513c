#include "engines/cuda/checked_run.h"

#include "base/status_macros.h"

namespace tally::cuda {

absl::Status CheckedRun::After(const Frame& frame, size_t steps) {
  const auto bring = [&](const ValueRef& value) -> absl::StatusOr<std::optional<HeldValue>> {
    // A constant that no step reads is not on the device, and one that is was never computed.
    if (frame.program->IsConstant(value.buffer)) return std::nullopt;
    bytes_.resize(static_cast<size_t>(value.size_bytes()));
    RETURN_IF_ERROR(frame.stream->CopyOut(bytes_, frame.At(value.buffer)));
    RETURN_IF_ERROR(frame.stream->Wait());
    return HeldValue{value.layout, value.storage, bytes_.data()};
  };
  return check_.After(*frame.program, steps, bring);
}

}  // namespace tally::cuda
