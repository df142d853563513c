// Operators that move elements, and constants.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "quant/ops/op_traits.h"

namespace tally::quant {

// x -> the same elements in row-major order under `shape`.
struct Reshape {
  static constexpr OpTraits kTraits = {.name = "Reshape", .moves = true, .grid = Grid::kOfOperand};
  Shape shape;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Reshape&) const = default;
};

// x -> y with y's dimension i = x's dimension permutation[i].
struct Transpose {
  static constexpr OpTraits kTraits = {.name = "Transpose", .moves = true, .grid = Grid::kOfOperand};
  std::vector<int64_t> permutation;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Transpose&) const = default;
};

// one or more values of equal shape but for `axis` -> their concatenation along `axis`.
struct Concat {
  static constexpr OpTraits kTraits = {.name = "Concat", .most = kAnyNumber, .moves = true};
  int64_t axis;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Concat&) const = default;
};

// no operands -> `value`, shared so that copies of a graph are cheap. Floats are finite.
struct Constant {
  static constexpr OpTraits kTraits = {.name = "Constant", .least = 0, .most = 0};
  std::shared_ptr<const Tensor> value;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Constant& other) const { return *value == *other.value; }
};

}  // namespace tally::quant
