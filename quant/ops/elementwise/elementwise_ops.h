// Operators that compute each element by itself.
#pragma once

#include "quant/ops/op_traits.h"

namespace tally::quant {

// a, b -> a + b, shapes broadcast from the right as in NumPy.
struct Add {
  static constexpr OpTraits kTraits = {.name = "Add", .least = 2, .most = 2, .rounds = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Add&) const = default;
};

// x -> max(x, 0).
struct Relu {
  static constexpr OpTraits kTraits = {.name = "Relu", .grid = Grid::kOfOperand};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  Bounds bounds() const { return {.low = 0}; }
  bool operator==(const Relu&) const = default;
};

// x -> min(max(x, low), high); low <= high, an infinity bounds nothing.
struct Clip {
  static constexpr OpTraits kTraits = {.name = "Clip", .grid = Grid::kOfOperand};
  float low;
  float high;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  Bounds bounds() const { return {low, high}; }
  bool operator==(const Clip&) const = default;
};

}  // namespace tally::quant
