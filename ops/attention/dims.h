// The sizes of attention, and what its sums need.
#pragma once

#include <span>

#include "base/wide.h"
#include "ops/attention/logits.h"
#include "ops/tensor_type.h"

namespace tally::attention {

enum AttentionOperand { kQuery, kKeys, kValues, kTable, kMask };

inline int64_t FromLast(const Shape& shape, int axis) { return shape[shape.rank() - axis]; }

struct AttentionDims {
  int64_t queries, keys, depth, columns;

  AttentionDims(const Shape& q, const Shape& k, const Shape& v)
      : queries(FromLast(q, 2)), keys(FromLast(k, 2)), depth(FromLast(q, 1)), columns(FromLast(v, 1)) {}
};

inline AttentionDims DimsOf(std::span<const TensorType> operands) {
  return {operands[kQuery].shape, operands[kKeys].shape, operands[kValues].shape};
}

// Whether sums of products, and those of weighted values, fit 32 bits.
inline bool ScoresFitI32(const Interval& q, const Interval& k, const AttentionDims& dims) {
  return Int128{q.Magnitude()} * k.Magnitude() * dims.depth < Int128{1} << 31;
}
inline bool MeansFitI32(const Interval& v, const AttentionDims& dims) {
  return Int128{v.Magnitude()} * ((int64_t{1} << kProbabilityBits) + dims.keys) < Int128{1} << 31;
}

}  // namespace tally::attention
