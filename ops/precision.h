// Published precisions of CVM: a bit count p in 1..32 for every value, meaning |v| <= 2^(p-1) - 1.
//
// In profile cvm the validator replays these published rules beside its own intervals, and refuses a module
// whose published precision exceeds 32 (docs/spec/validation.md lists which known quirks of the rules are
// kept). A rule reads the operands' precisions and shapes and returns one precision for every result,
// unclamped.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/int_math.h"
#include "ops/infer.h"

namespace tally {

struct PrecisionContext {
  const InferContext* infer = nullptr;
  std::span<const TensorType> results;

  int operand(int i) const { return infer->precisions[i]; }
  template <typename Attrs>
  Attrs attrs() const {
    return infer->attrs<Attrs>();
  }
};

// Bits of a symmetric magnitude: the smallest p with magnitude <= 2^(p-1) - 1.
constexpr int PrecisionOf(uint64_t magnitude) { return magnitude == 0 ? 1 : BitLength(magnitude) + 1; }

// A rule: the published precision of each result.
using PrecisionRule = std::vector<int> (*)(const PrecisionContext&);

// The rule of operators outside profile cvm.
inline constexpr PrecisionRule kNotInCvm = nullptr;

// p0: the result has the precision of the first operand.
std::vector<int> PrecisionOfFirst(const PrecisionContext& c);
// max over all operands.
std::vector<int> PrecisionOfWidest(const PrecisionContext& c);
// max(p0, p1) + 1: sums of two.
std::vector<int> PrecisionOfSum(const PrecisionContext& c);

}  // namespace tally
