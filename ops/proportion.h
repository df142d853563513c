// How much working memory a step may have, by what it reads and writes: of kernels of every engine. One that would need more
// is not taken, so that a run needs a few times what validation has published (docs/spec/limits.md), whatever the shapes.
#pragma once

#include "base/wide.h"

namespace tally {

// Copies of what a step reads, padded and widened, take a few times as much in networks; keys and places that are sorted
// take 16 bytes for each element. kFreeStepBytes are for small
// tensors, whose padding is most of them.
inline constexpr int64_t kStepCopies = 8;
inline constexpr int64_t kFreeStepBytes = int64_t{1} << 20;

// In bytes, for a step that reads and writes `value_bytes`.
constexpr Int128 MostStepBytes(Int128 value_bytes) {
  return SatAdd(SatMul(kStepCopies, value_bytes), kFreeStepBytes);
}

}  // namespace tally
