// Operators that put elements into order.
#pragma once

#include <cstdint>

#include "quant/ops/op_traits.h"

namespace tally::quant {

// Which of its results a node yields; lowering writes one instruction for both.
enum class TopKResult { kValues, kIndices };

// x, floats or integers -> of each line along `axis` the k largest or smallest elements, the best first
// and of equals the one in front, or their places (int64).
struct TopK {
  static constexpr OpTraits kTraits = {
      .name = "TopK", .takes_integers = true, .folds = true, .grid = Grid::kOfOperand, .reads_wide = true};
  int64_t axis = 0;
  int64_t k = 1;
  bool is_min = false;
  TopKResult result = TopKResult::kValues;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const TopK&) const = default;
};

}  // namespace tally::quant
