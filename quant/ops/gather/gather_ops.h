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

}  // namespace tally::quant
