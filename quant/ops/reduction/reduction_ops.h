// Lines of a tensor to one element each.
#pragma once

#include <cstdint>

#include "quant/ops/op_traits.h"

namespace tally::quant {

// x -> int64 index of the largest element along `axis`, the first one of equals.
struct ArgMax {
  static constexpr OpTraits kTraits = {.name = "ArgMax", .grid = Grid::kOwn, .reads_wide = true};
  int64_t axis;
  bool keep_dimension = true;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  QuantizedType OwnGrid(const OperandTypes& operands) const;
  bool operator==(const ArgMax&) const = default;
};

}  // namespace tally::quant
