// The permutation that a transpose applies.
#pragma once

#include "ops/indexing.h"
#include "ops/layout/attrs.h"

namespace tally {

// permutation[i] is the operand's axis that becomes axis i of the result. The attribute is empty or has
// `rank` entries in [-rank, rank).
inline Index Permutation(const TransposeAttrs& attrs, int rank) {
  Index permutation = {};
  for (int i = 0; i < rank; ++i) {
    const int64_t axis = attrs.axes.empty() ? rank - 1 - i : attrs.axes[i];
    permutation[i] = axis < 0 ? axis + rank : axis;
  }
  return permutation;
}

}  // namespace tally
