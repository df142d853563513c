// Whether the working memory of launches is in proportion to the values of the call (ops/proportion.h).
#pragma once

#include <algorithm>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"
#include "ops/proportion.h"

namespace tally::cuda {

// Logits of attention, one for each query and key and head, count as values: what attention is there for is
// to make them.
inline Int128 LogitBytes(const KernelFacts& facts) {
  const Shape &y = facts.results[0].shape, &keys = facts.operands[1].shape;
  const Int128 rows = y.num_elements() / y[y.rank() - 1];
  return SatMul(SatMul(rows, keys[keys.rank() - 2]), 2 * int64_t{sizeof(int32_t)});
}

inline bool InProportion(const Work& work, const KernelFacts& facts) {
  Int128 scratch = 0, values = 0;
  for (const int64_t bytes : work.scratch_bytes) scratch = SatAdd(scratch, bytes);
  for (const TensorType& x : facts.operands) values += x.size_bytes();
  for (const TensorType& y : facts.results) values += y.size_bytes();
  if (facts.op == Opcode::kScaledDotProductAttention) values = SatAdd(values, LogitBytes(facts));
  return scratch <= MostStepBytes(values);
}

}  // namespace tally::cuda
