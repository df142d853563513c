// Grids that are not ours to choose, since the file of a network says them.
#pragma once

#include "quant/grid/quantized_type.h"
#include "quant/ops/op_traits.h"

namespace tally::quant {

// x -> what the integer nearest to each element stands for: QuantizeLinear and DequantizeLinear of ONNX, a
// FakeQuantize of OpenVINO. Its operand takes the same grid where nothing else reads it
// (quant/lower/pinned_grids.h), so that between two layers there is one rounding, and none of it is
// calibrated.
struct FakeQuantize {
  static constexpr OpTraits kTraits = {.name = "FakeQuantize", .grid = Grid::kOwn};
  QuantizedType grid;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  QuantizedType OwnGrid(const OperandTypes& operands) const;
  bool operator==(const FakeQuantize&) const = default;
};

}  // namespace tally::quant
