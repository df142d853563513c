#include <cmath>
#include <utility>

#include "base/status_macros.h"
#include "quant/ops/linear/linear_ops.h"

namespace tally::quant {

TypeResult Conv::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  const Shape& weight = operands[1].shape;
  RETURN_IF_ERROR(CheckWindow("Conv", x, stride, dilation, pad));
  if (weight.size() != x.size()) {
    return BadShape("Conv takes weight [OC, IC / groups, KH, KW], or with KD before KH, not " +
                    ToString(weight) + ", with x " + ToString(x));
  }
  if (!InRange(groups, 1) || x[1] % groups != 0 || weight[0] % groups != 0) {
    return BadAttribute("Conv: groups = " + std::to_string(groups) + " does not divide the channels of x " +
                        ToString(x) + " and weight " + ToString(weight));
  }
  if (x[1] / groups != weight[1]) {
    return BadShape("Conv: weight " + ToString(weight) + " does not fit x " + ToString(x) +
                    " with groups = " + std::to_string(groups));
  }
  if (operands.size() == 3 && operands[2].shape != Shape{weight[0]}) {
    return BadShape("Conv: bias " + ToString(operands[2].shape) + " does not fit weight " + ToString(weight));
  }
  return WindowResult("Conv", x, weight[0], ReachOf(SpatialSize(weight), dilation), stride, pad);
}

TypeResult ConvTranspose::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  const Shape& weight = operands[1].shape;
  RETURN_IF_ERROR(CheckWindow("ConvTranspose", x, stride, dilation, pad));
  if (weight.size() != x.size() || weight[0] != x[1]) {
    return BadShape("ConvTranspose takes weight [IC, OC / groups, KH, KW], or with KD before KH, not " +
                    ToString(weight) + ", with x " + ToString(x));
  }
  for (const int64_t added : {output_padding.y, output_padding.x, output_padding.z}) {
    if (!InRange(added, 0)) return BadAttribute("ConvTranspose: output_padding out of range");
  }
  if (!InRange(groups, 1) || x[1] % groups != 0) {
    return BadAttribute("ConvTranspose: groups = " + std::to_string(groups) +
                        " does not divide the channels of x " + ToString(x));
  }
  if (weight[1] > kMaxElements / groups)
    return MakeError(label::graph_size, "ConvTranspose: too many channels");
  const int64_t channels = groups * weight[1];
  if (operands.size() == 3 && operands[2].shape != Shape{channels}) {
    return BadShape("ConvTranspose: bias " + ToString(operands[2].shape) + " does not fit weight " +
                    ToString(weight));
  }
  const Extents in = SpatialSize(x), reach = ReachOf(SpatialSize(weight), dilation);
  const Extents out = {
      (in.y - 1) * stride.y + reach.y - pad.top - pad.bottom + output_padding.y,
      (in.x - 1) * stride.x + reach.x - pad.left - pad.right + output_padding.x,
      x.size() == 5 ? (in.z - 1) * stride.z + reach.z - pad.front - pad.back + output_padding.z : 1};
  if (out.y < 1 || out.x < 1 || out.z < 1)
    return BadShape("ConvTranspose: the pads cut off all of the result");
  if (out.y > kMaxElements || out.x > kMaxElements || out.z > kMaxElements) {
    return MakeError(label::graph_size, "ConvTranspose: the result is too large");
  }
  return ValueType{ElementType::kFloat32, WithSize(x, channels, out)};
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
