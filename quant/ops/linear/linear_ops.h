// Products with weights, and of two values.
#pragma once

#include <cstdint>

#include "quant/ops/op_traits.h"
#include "quant/ops/window.h"

namespace tally::quant {

// x [N, IC, IH, IW], weight [OC, IC / groups, KH, KW], [bias [OC]] -> [N, OC, OH, OW]; pads are zeros.
// y[n, oc, oy, ox] = bias[oc] + sum over ic, ky, kx: weight[oc, ic, ky, kx] x[n, g IC / groups + ic, iy, ix]
// with iy = oy stride.y + ky dilation.y - pad.top, ix likewise, and g = oc / (OC / groups), the group of oc.
// Volumes have D before H, along which all is as along H.
struct Conv {
  static constexpr OpTraits kTraits = {.name = "Conv",
                                       .least = 2,
                                       .most = 3,
                                       .has_weights = true,
                                       .rounds = true,
                                       .multiplies = true,
                                       .shifts = true};
  Extents stride;
  Extents dilation;
  Pads pad;
  int64_t groups = 1;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Conv&) const = default;
};

// x [N, IC, IH, IW], weight [IC, OC / groups, KH, KW], [bias [OC]] -> [N, OC, OH, OW]: the transpose of a
// Conv. y[n, g OC / groups + o, oy, ox] = its bias + sum over ic, ky, kx and all iy, ix with oy = iy
// stride.y + ky dilation.y - pad.top, ox likewise, of
//   weight[g IC / groups + ic, o, ky, kx] x[n, g IC / groups + ic, iy, ix]
// OH = (IH - 1) stride.y + (KH - 1) dilation.y + 1 - pad.top - pad.bottom + output_padding.y, OW likewise,
// and so is D of volumes.
struct ConvTranspose {
  static constexpr OpTraits kTraits = {.name = "ConvTranspose",
                                       .least = 2,
                                       .most = 3,
                                       .has_weights = true,
                                       .rounds = true,
                                       .multiplies = true};
  Extents stride;
  Extents dilation;
  Pads pad;                            // cut off the result
  Extents output_padding = {0, 0, 0};  // added at its ends
  int64_t groups = 1;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const ConvTranspose&) const = default;
};

// x [M, K], weight [N, K], [bias [N]] -> [M, N]: x times the transpose of weight.
struct Dense {
  static constexpr OpTraits kTraits = {.name = "Dense",
                                       .least = 2,
                                       .most = 3,
                                       .has_weights = true,
                                       .rounds = true,
                                       .multiplies = true,
                                       .shifts = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Dense&) const = default;
};

// a [..., M, K], b [..., K, N] -> factor * a b [..., M, N]; leading dimensions broadcast; both ranks at least
// 2; factor > 0.
struct MatMul {
  static constexpr OpTraits kTraits = {
      .name = "MatMul", .least = 2, .most = 2, .folds = true, .rounds = true, .multiplies = true};
  float factor = 1;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const MatMul&) const = default;
};

}  // namespace tally::quant
