// The permutation that a transpose applies.
#pragma once

#include "ops/indexing.h"
#include "ops/layout/attrs.h"

namespace tally {

// permutation[i] is the operand's axis that becomes axis i of the result. The attribute is empty or has
// `rank` entries in [-rank, rank).
// Axes is a vector or a span.
template <typename Axes>
Index PermutationOf(const Axes& axes, int rank) {
  Index permutation = {};
  for (int i = 0; i < rank; ++i) {
    const int64_t axis = axes.empty() ? rank - 1 - i : axes[i];
    permutation[i] = axis < 0 ? axis + rank : axis;
  }
  return permutation;
}
inline Index Permutation(const TransposeAttrs& attrs, int rank) { return PermutationOf(attrs.axes, rank); }

}  // namespace tally
