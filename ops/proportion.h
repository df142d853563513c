// How much working memory a step may use, relative to what it reads and writes. No engine uses a kernel that
// would need more, so that a run needs a few times what validation has published (docs/spec/limits.md),
// whatever the shapes.
#pragma once

#include "base/wide.h"

namespace tally {

// Padded and widened copies of what a step reads need a few times as much in networks; sorting needs 16
// bytes of keys and positions for each element. kFreeStepBytes are for small tensors, which are mostly
// padding.
inline constexpr int64_t kStepCopies = 8;
inline constexpr int64_t kFreeStepBytes = int64_t{1} << 20;

// Bytes, for a step that reads and writes `value_bytes`.
constexpr Int128 MostStepBytes(Int128 value_bytes) {
  return SatAdd(SatMul(kStepCopies, value_bytes), kFreeStepBytes);
}

}  // namespace tally
