// What divides by a sum or a deviation.
#pragma once

#include <cstdint>

#include "quant/ops/op_traits.h"

namespace tally::quant {

// x [N, C, ...], scale [C], bias [C], mean [C], variance [C]
//   -> scale (x - mean) / sqrt(variance + epsilon) + bias, per channel.
// FoldBatchNorm removes it; lowering never sees it.
struct BatchNorm {
  static constexpr OpTraits kTraits = {.name = "BatchNorm", .least = 5, .most = 5, .has_weights = true};
  float epsilon = 1e-5f;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const BatchNorm&) const = default;
};

// x -> exp(x) / sum of exp(x) along `axis`.
struct Softmax {
  static constexpr OpTraits kTraits = {.name = "Softmax", .grid = Grid::kOwn, .reads_wide = true};
  int64_t axis;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  QuantizedType OwnGrid(const OperandTypes& operands) const;
  bool operator==(const Softmax&) const = default;
};

}  // namespace tally::quant
