// Operators that compute each element by itself, of several operands or bounding it. Functions of one value
// are in unary_ops.h.
#pragma once

#include "quant/ops/op_traits.h"

namespace tally::quant {

// a, b -> a + b, shapes broadcast from the right as in NumPy.
struct Add {
  static constexpr OpTraits kTraits = {.name = "Add", .least = 2, .most = 2, .folds = true, .rounds = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Add&) const = default;
};

// a, b -> a - b, broadcast.
struct Sub {
  static constexpr OpTraits kTraits = {.name = "Sub", .least = 2, .most = 2, .folds = true, .rounds = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Sub&) const = default;
};

// a, b -> a * b, broadcast.
struct Mul {
  static constexpr OpTraits kTraits = {.name = "Mul", .least = 2, .most = 2, .folds = true, .rounds = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Mul&) const = default;
};

// a, b -> a / b, broadcast. b nears zero in few steps of 8 bits.
struct Div {
  static constexpr OpTraits kTraits = {.name = "Div", .least = 2, .most = 2, .folds = true, .rounds = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  static bool ReadsWide(size_t operand) { return operand == 1; }
  bool operator==(const Div&) const = default;
};

// a, b -> the larger, broadcast.
struct Max {
  static constexpr OpTraits kTraits = {.name = "Max", .least = 2, .most = 2, .folds = true, .rounds = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Max&) const = default;
};

// a, b -> the smaller, broadcast.
struct Min {
  static constexpr OpTraits kTraits = {.name = "Min", .least = 2, .most = 2, .folds = true, .rounds = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Min&) const = default;
};

// x -> max(x, 0).
struct Relu {
  static constexpr OpTraits kTraits = {.name = "Relu", .folds = true, .grid = Grid::kOfOperand};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  Bounds bounds() const { return {.low = 0}; }
  bool operator==(const Relu&) const = default;
};

// x -> min(max(x, low), high); low <= high, an infinity bounds nothing.
struct Clip {
  static constexpr OpTraits kTraits = {.name = "Clip", .folds = true, .grid = Grid::kOfOperand};
  float low;
  float high;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  Bounds bounds() const { return {low, high}; }
  bool operator==(const Clip&) const = default;
};

}  // namespace tally::quant
