// Operators that choose elements by indices.
#pragma once

#include <cstdint>

#include "quant/ops/op_traits.h"

namespace tally::quant {

// x, indices (int64, of any rank) -> slices of x along `axis`, the dimensions of the indices in its
// place. A negative index counts from the back; one outside chooses the nearest slice.
struct Gather {
  static constexpr OpTraits kTraits = {
      .name = "Gather", .least = 2, .most = 2, .moves = true, .grid = Grid::kOfOperand};
  int64_t axis = 0;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Gather&) const = default;
};

// x, indices (int64, of the rank of x and on other axes than `axis` no longer) -> of x in the line of each
// index the element that it names, as Gather's do.
struct GatherElements {
  static constexpr OpTraits kTraits = {
      .name = "GatherElements", .least = 2, .most = 2, .moves = true, .grid = Grid::kOfOperand};
  int64_t axis = 0;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const GatherElements&) const = default;
};

// x, indices (int64) -> slices of x at tuples of indices, which the last axis of the indices holds; the first
// `batch_dims` axes are those of both. An index means what it means to Gather.
struct GatherNd {
  static constexpr OpTraits kTraits = {
      .name = "GatherNd", .least = 2, .most = 2, .moves = true, .grid = Grid::kOfOperand};
  int64_t batch_dims = 0;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const GatherNd&) const = default;
};

}  // namespace tally::quant
