#include <cmath>
#include <utility>

#include "base/status_macros.h"
#include "quant/ops/linear/linear_ops.h"

namespace tally::quant {

TypeResult Conv2d::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  const Shape& weight = operands[1].shape;
  RETURN_IF_ERROR(CheckWindow("Conv2d", x, stride, pad));
  if (weight.size() != 4)
    return BadShape("Conv2d takes weight [OC, IC / groups, KH, KW], not " + ToString(weight));
  if (!InRange(dilation.y, 1) || !InRange(dilation.x, 1)) {
    return BadAttribute("Conv2d: dilation out of range");
  }
  if (!InRange(groups, 1) || x[1] % groups != 0 || weight[0] % groups != 0) {
    return BadAttribute("Conv2d: groups = " + std::to_string(groups) + " does not divide the channels of x " +
                        ToString(x) + " and weight " + ToString(weight));
  }
  if (x[1] / groups != weight[1]) {
    return BadShape("Conv2d: weight " + ToString(weight) + " does not fit x " + ToString(x) +
                    " with groups = " + std::to_string(groups));
  }
  if (operands.size() == 3 && operands[2].shape != Shape{weight[0]}) {
    return BadShape("Conv2d: bias " + ToString(operands[2].shape) + " does not fit weight " +
                    ToString(weight));
  }
  const Extent2d window = {(weight[2] - 1) * dilation.y + 1, (weight[3] - 1) * dilation.x + 1};
  return WindowResult("Conv2d", x, weight[0], window, stride, pad);
}

TypeResult ConvTranspose2d::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  const Shape& weight = operands[1].shape;
  RETURN_IF_ERROR(CheckWindow("ConvTranspose2d", x, stride, pad));
  if (weight.size() != 4 || weight[0] != x[1]) {
    return BadShape("ConvTranspose2d takes weight [IC, OC / groups, KH, KW], not " + ToString(weight) +
                    ", with x " + ToString(x));
  }
  if (!InRange(dilation.y, 1) || !InRange(dilation.x, 1) || !InRange(output_padding.y, 0) ||
      !InRange(output_padding.x, 0)) {
    return BadAttribute("ConvTranspose2d: dilation or output_padding out of range");
  }
  if (!InRange(groups, 1) || x[1] % groups != 0) {
    return BadAttribute("ConvTranspose2d: groups = " + std::to_string(groups) +
                        " does not divide the channels of x " + ToString(x));
  }
  if (weight[1] > kMaxElements / groups)
    return MakeError(label::graph_size, "ConvTranspose2d: too many channels");
  const int64_t channels = groups * weight[1];
  if (operands.size() == 3 && operands[2].shape != Shape{channels}) {
    return BadShape("ConvTranspose2d: bias " + ToString(operands[2].shape) + " does not fit weight " +
                    ToString(weight));
  }
  const int64_t out_y =
      (x[2] - 1) * stride.y + (weight[2] - 1) * dilation.y + 1 - pad.top - pad.bottom + output_padding.y;
  const int64_t out_x =
      (x[3] - 1) * stride.x + (weight[3] - 1) * dilation.x + 1 - pad.left - pad.right + output_padding.x;
  if (out_y < 1 || out_x < 1) return BadShape("ConvTranspose2d: the pads cut off all of the result");
  if (out_y > kMaxElements || out_x > kMaxElements) {
    return MakeError(label::graph_size, "ConvTranspose2d: the result is too large");
  }
  return ValueType{ElementType::kFloat32, {x[0], channels, out_y, out_x}};
}

TypeResult Dense::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  const Shape& weight = operands[1].shape;
  if (x.size() != 2 || weight.size() != 2) {
    return BadShape("Dense takes x of rank 2 and weight of rank 2, not " + ToString(x) + " and " +
                    ToString(weight));
  }
  if (x[1] != weight[1]) {
    return BadShape("Dense: K of x " + ToString(x) + " and of weight " + ToString(weight) + " differ");
  }
  if (operands.size() == 3 && operands[2].shape != Shape{weight[0]}) {
    return BadShape("Dense: bias " + ToString(operands[2].shape) + " does not fit weight " +
                    ToString(weight));
  }
  return ValueType{ElementType::kFloat32, {x[0], weight[0]}};
}

TypeResult MatMul::Infer(const OperandTypes& operands) const {
  if (!std::isnormal(factor) || factor < 0) return BadAttribute("MatMul: the factor is not positive");
  const Shape& a = operands[0].shape;
  const Shape& b = operands[1].shape;
  if (a.size() < 2 || b.size() < 2) {
    return BadShape("MatMul takes operands of rank 2 and more, not " + ToString(a) + " and " + ToString(b));
  }
  if (a.back() != b[b.size() - 2]) {
    return BadShape("MatMul: K of " + ToString(a) + " and of " + ToString(b) + " differ");
  }
  ASSIGN_OR_RETURN(Shape shape, Broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2)));
  shape.push_back(a[a.size() - 2]);
  shape.push_back(b.back());
  return ValueType{ElementType::kFloat32, std::move(shape)};
}

}  // namespace tally::quant
