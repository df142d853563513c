// Windows of images and volumes.
#pragma once

#include "quant/ops/op_traits.h"
#include "quant/ops/window.h"

namespace tally::quant {

// x [N, C, IH, IW] -> [N, C, OH, OW], or volumes with D before H. Pads never win and are smaller than what a
// window reaches over; no window is without an element.
struct MaxPool {
  static constexpr OpTraits kTraits = {.name = "MaxPool", .grid = Grid::kOfOperand};
  Extents kernel;
  Extents stride;
  Pads pad;
  Extents dilation = {};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const MaxPool&) const = default;
};

// As MaxPool. The divisor is how many taps of the window are inside x, or with count_include_pad inside x and
// its pads: in `ceil_mode` a last window reaches beyond them that starts inside.
struct AveragePool {
  static constexpr OpTraits kTraits = {.name = "AveragePool", .rounds = true};
  Extents kernel;
  Extents stride;
  Pads pad;
  bool count_include_pad = false;
  Extents dilation = {};
  bool ceil_mode = false;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const AveragePool&) const = default;
};

// x [N, C, (D,) H, W] -> [N, C, (1,) 1, 1].
struct GlobalAveragePool {
  static constexpr OpTraits kTraits = {.name = "GlobalAveragePool", .rounds = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const GlobalAveragePool&) const = default;
};

}  // namespace tally::quant
