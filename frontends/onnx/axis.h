// Axes as ONNX counts them: from the end, where negative.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "frontends/onnx/labels.h"

namespace tally::onnx {

// `axis` in [-rank, rank) as one in [0, rank). Errors: onnx_malformed.
inline absl::StatusOr<int64_t> NormalizeAxis(int64_t axis, size_t rank) {
  const int64_t end = static_cast<int64_t>(rank);
  if (axis >= -end && axis < end) return axis < 0 ? axis + end : axis;
  return MakeError(label::onnx_malformed,
                   "axis " + std::to_string(axis) + " is outside rank " + std::to_string(rank));
}

}  // namespace tally::onnx
