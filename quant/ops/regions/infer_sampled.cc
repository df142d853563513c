#include <string>

#include "base/status_macros.h"
#include "quant/ops/regions/sampled_ops.h"

namespace tally::quant {

TypeResult GridSample::Infer(const OperandTypes& operands) const {
  const Shape &x = operands[0].shape, &grid = operands[1].shape;
  if (x.size() != 4 || grid.size() != 4 || grid[0] != x[0] || grid[3] != 2) {
    return BadShape("GridSample takes x [N, C, H, W] and a grid [N, OH, OW, 2], not " + ToString(x) +
                    " and " + ToString(grid));
  }
  return ValueType{ElementType::kFloat32, {x[0], x[1], grid[1], grid[2]}};
}

TypeResult DeformableConv::Infer(const OperandTypes& operands) const {
  const Shape &x = operands[0].shape, &weight = operands[1].shape;
  RETURN_IF_ERROR(CheckWindow("DeformableConv", x, stride, dilation, pad));
  if (x.size() != 4 || weight.size() != 4) {
    return BadShape("DeformableConv takes x [N, IC, IH, IW] and weight [OC, IC / groups, KH, KW], not " +
                    ToString(x) + " and " + ToString(weight));
  }
  if (!InRange(groups, 1) || !InRange(offset_groups, 1) || x[1] % groups != 0 || weight[0] % groups != 0 ||
      x[1] % offset_groups != 0) {
    return BadAttribute("DeformableConv: groups or offset_groups do not divide the channels of x " +
                        ToString(x) + " and weight " + ToString(weight));
  }
  if (x[1] / groups != weight[1]) {
    return BadShape("DeformableConv: weight " + ToString(weight) + " does not fit x " + ToString(x) +
                    " with groups = " + std::to_string(groups));
  }
  ASSIGN_OR_RETURN(ValueType y, WindowResult("DeformableConv", x, weight[0],
                                             ReachOf(SpatialSize(weight), dilation), stride, pad));
  const int64_t taps = offset_groups * weight[2] * weight[3];
  for (size_t i = 2; i < operands.size(); ++i) {
    const Shape fits = {x[0], i == 2 ? 2 * taps : taps, y.shape[2], y.shape[3]};
    if (operands[i].shape != fits) {
      return BadShape("DeformableConv: " + std::string(i == 2 ? "offset " : "mask ") +
                      ToString(operands[i].shape) + " is not " + ToString(fits));
    }
  }
  return y;
}

}  // namespace tally::quant
