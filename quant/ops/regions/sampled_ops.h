// Images that are read between pixels, wherever an operand says.
#pragma once

#include <cstdint>

#include "ops/image/attrs.h"
#include "ops/linear/attrs.h"
#include "quant/ops/op_traits.h"
#include "quant/ops/window.h"

namespace tally::quant {

// x [N, C, H, W], grid [N, OH, OW, 2], columns before rows -> [N, C, OH, OW]: x at the positions of the grid,
// where -1 and 1 are the borders. As grid_sample of ops/image/spec.md, in floats.
struct GridSample {
  static constexpr OpTraits kTraits = {.name = "GridSample", .least = 2, .most = 2, .rounds = true};
  GridSampleMode mode = GridSampleMode::kBilinear;
  GridPadding padding = GridPadding::kZeros;
  bool align_corners = false;  // -1 and 1 are the centres of the border pixels, not their outer edges

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  static bool ReadsWide(size_t operand) { return operand == 1; }
  bool operator==(const GridSample&) const = default;
};

// x [N, IC, IH, IW], weight [OC, IC / groups, KH, KW], offset [N, 2 * offset_groups * KH * KW, OH, OW], rows
// before columns, [mask [N, offset_groups * KH * KW, OH, OW]] -> [N, OC, OH, OW]: Conv whose taps are moved
// by `offset` pixels and multiplied by `mask`. As deformable_conv2d of ops/linear/spec.md, in floats.
struct DeformableConv {
  static constexpr OpTraits kTraits = {
      .name = "DeformableConv", .least = 3, .most = 4, .has_weights = true, .rounds = true};
  Extents stride;
  Extents dilation;
  Pads pad;
  int64_t groups = 1;
  int64_t offset_groups = 1;
  DeformableBorder border = DeformableBorder::kZeroPixels;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool IsWeight(size_t operand) const { return operand == 1; }
  static bool ReadsWide(size_t operand) { return operand == 2; }
  bool operator==(const DeformableConv&) const = default;
};

}  // namespace tally::quant
