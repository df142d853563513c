// Random draws: functions of a seed, a layer and a place (ops/sampling/spec.md), so that every machine draws
// the same.
#pragma once

#include <cstdint>

#include "quant/ops/op_traits.h"

namespace tally::quant {

constexpr int64_t kMostSeed = (int64_t{1} << 32) - 1;

// -> integers of [lo, hi], equally likely. Other distributions look them up (Lookup) or compare them
// (Compare).
struct RandomIntegers {
  static constexpr OpTraits kTraits = {.name = "RandomIntegers", .least = 0, .most = 0};
  Shape shape;
  int64_t seed = 0;   // the model's
  int64_t layer = 0;  // distinguishes what shares a seed
  int64_t lo = 0, hi = 1;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const RandomIntegers&) const = default;
};

// weights [.., K], not negative -> [.., samples]: int64 places from 0 to K - 1, drawn in proportion to the
// weights; 0 where all are 0.
struct RandomCategorical {
  static constexpr OpTraits kTraits = {.name = "RandomCategorical", .reads_wide = true};
  int64_t samples = 1;
  int64_t seed = 0;
  int64_t layer = 0;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const RandomCategorical&) const = default;
};

}  // namespace tally::quant
