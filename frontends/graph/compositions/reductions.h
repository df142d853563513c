// Reductions over axes.
//
//   ASSIGN_OR_RETURN(const Operand y, Reduce(emitter, ReductionKind::kL2, x, {.axes = {1}}));
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

enum class ReductionKind {
  kSum,
  kProduct,
  kMean,
  kMax,
  kMin,
  kL1,         // the sum of magnitudes
  kL2,         // the root of the sum of squares
  kSumSquare,  // the sum of squares
  kLogSum,     // the logarithm of the sum
  kLogSumExp,  // the logarithm of the sum of exponentials
};

struct Reduction {
  std::vector<int64_t> axes = {};  // ascending; none, where nothing is to be reduced: the result is x
  bool keep_dimensions = true;     // as 1
};

// Integers have sums, products and extremes. Errors: those of the graph; model_unsupported_operand for a
// product of more than 64 floats, which are multiplied one by one.
absl::StatusOr<Operand> Reduce(Emitter& emitter, ReductionKind kind, const Operand& x,
                               const Reduction& reduction);

}  // namespace tally::frontend
