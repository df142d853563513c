// Lines of a tensor, or what several axes span, to one element each.
#pragma once

#include <cstdint>
#include <vector>

#include "quant/ops/op_traits.h"

namespace tally::quant {

// x, floats or integers -> int64 index of the largest or the smallest element along `axis`, the first or the
// last one of equals.
struct ArgExtreme {
  static constexpr OpTraits kTraits = {
      .name = "ArgExtreme", .takes_integers = true, .folds = true, .reads_wide = true};
  int64_t axis;
  bool keep_dimension = true;
  bool is_min = false;
  bool takes_last = false;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const ArgExtreme&) const = default;
};

// x, floats or integers -> the sum over `axes`, which ascend, or, of floats, the mean. A mean over H and W of
// an image that keeps them is GlobalAveragePool.
struct ReduceSum {
  static constexpr OpTraits kTraits = {
      .name = "ReduceSum", .takes_integers = true, .folds = true, .rounds = true};
  std::vector<int64_t> axes;
  bool keep_dimensions = true;
  bool is_mean = false;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const ReduceSum&) const = default;
};

// x, floats or integers -> the largest or the smallest element over `axes`, which ascend.
struct ReduceExtreme {
  static constexpr OpTraits kTraits = {
      .name = "ReduceExtreme", .takes_integers = true, .folds = true, .grid = Grid::kOfOperand};
  std::vector<int64_t> axes;
  bool keep_dimensions = true;
  bool is_min = false;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const ReduceExtreme&) const = default;
};

// x int64 -> the product over `axes`, which ascend. Floats are multiplied one by one (Mul), each on its own
// grid.
struct ReduceProduct {
  static constexpr OpTraits kTraits = {.name = "ReduceProduct", .takes_integers = true, .folds = true};
  std::vector<int64_t> axes;
  bool keep_dimensions = true;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const ReduceProduct&) const = default;
};

}  // namespace tally::quant
