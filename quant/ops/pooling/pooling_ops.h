// Windows of images.
#pragma once

#include "quant/ops/op_traits.h"
#include "quant/ops/window.h"

namespace tally::quant {

// x [N, C, IH, IW] -> [N, C, OH, OW]. Pads never win and are smaller than the kernel, so no window is empty.
struct MaxPool2d {
  static constexpr OpTraits kTraits = {.name = "MaxPool2d", .grid = Grid::kOfOperand};
  Extent2d kernel;
  Extent2d stride;
  Padding2d pad;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const MaxPool2d&) const = default;
};

// As MaxPool2d. The divisor is the window's elements inside x, or with count_include_pad the kernel's size.
struct AveragePool2d {
  static constexpr OpTraits kTraits = {.name = "AveragePool2d", .rounds = true};
  Extent2d kernel;
  Extent2d stride;
  Padding2d pad;
  bool count_include_pad = false;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const AveragePool2d&) const = default;
};

// x [N, C, H, W] -> [N, C, 1, 1].
struct GlobalAveragePool {
  static constexpr OpTraits kTraits = {.name = "GlobalAveragePool", .rounds = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const GlobalAveragePool&) const = default;
};

}  // namespace tally::quant
