#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "quant/graph/infer_rules.h"

namespace tally::quant {
namespace {

bool InRange(int64_t value, int64_t least) { return value >= least && value <= kMaxAttribute; }

absl::Status CheckWindow(std::string_view op, const Shape& x, const Extent2d& stride, const Padding2d& pad) {
  if (x.size() != 4) return BadShape(std::string(op) + " takes x [N, C, H, W], not " + ToString(x));
  if (!InRange(stride.y, 1) || !InRange(stride.x, 1))
    return BadAttribute(std::string(op) + ": stride out of range");
  for (const int64_t amount : {pad.top, pad.left, pad.bottom, pad.right}) {
    if (!InRange(amount, 0)) return BadAttribute(std::string(op) + ": pad out of range");
  }
  return absl::OkStatus();
}

// How many windows of `window` elements fit `padded` elements; 0 when none does.
int64_t NumWindows(int64_t padded, int64_t window, int64_t stride) {
  return padded < window ? 0 : (padded - window) / stride + 1;
}

TypeResult WindowResult(std::string_view op, const Shape& x, int64_t channels, const Extent2d& window,
                        const Extent2d& stride, const Padding2d& pad) {
  const int64_t out_y = NumWindows(x[2] + pad.top + pad.bottom, window.y, stride.y);
  const int64_t out_x = NumWindows(x[3] + pad.left + pad.right, window.x, stride.x);
  if (out_y == 0 || out_x == 0)
    return BadShape(std::string(op) + ": the window is larger than padded x " + ToString(x));
  return ValueType{ElementType::kFloat32, {x[0], channels, out_y, out_x}};
}

template <typename Pool>
TypeResult InferPool(std::string_view name, const Pool& op, const Shape& x) {
  RETURN_IF_ERROR(CheckWindow(name, x, op.stride, op.pad));
  if (!InRange(op.kernel.y, 1) || !InRange(op.kernel.x, 1)) {
    return BadAttribute(std::string(name) + ": kernel out of range");
  }
  if (op.pad.top >= op.kernel.y || op.pad.bottom >= op.kernel.y || op.pad.left >= op.kernel.x ||
      op.pad.right >= op.kernel.x) {
    return BadAttribute(std::string(name) + ": a pad is not smaller than the kernel");
  }
  return WindowResult(name, x, x[1], op.kernel, op.stride, op.pad);
}

}  // namespace

TypeResult Infer(const Conv2d& op, const OperandTypes& operands) {
  const Shape& x = operands[0].shape;
  const Shape& weight = operands[1].shape;
  RETURN_IF_ERROR(CheckWindow("Conv2d", x, op.stride, op.pad));
  if (weight.size() != 4)
    return BadShape("Conv2d takes weight [OC, IC / groups, KH, KW], not " + ToString(weight));
  if (!InRange(op.dilation.y, 1) || !InRange(op.dilation.x, 1)) {
    return BadAttribute("Conv2d: dilation out of range");
  }
  if (!InRange(op.groups, 1) || x[1] % op.groups != 0 || weight[0] % op.groups != 0) {
    return BadAttribute("Conv2d: groups = " + std::to_string(op.groups) +
                        " does not divide the channels of x " + ToString(x) + " and weight " +
                        ToString(weight));
  }
  if (x[1] / op.groups != weight[1]) {
    return BadShape("Conv2d: weight " + ToString(weight) + " does not fit x " + ToString(x) +
                    " with groups = " + std::to_string(op.groups));
  }
  if (operands.size() == 3 && operands[2].shape != Shape{weight[0]}) {
    return BadShape("Conv2d: bias " + ToString(operands[2].shape) + " does not fit weight " +
                    ToString(weight));
  }
  const Extent2d window = {(weight[2] - 1) * op.dilation.y + 1, (weight[3] - 1) * op.dilation.x + 1};
  return WindowResult("Conv2d", x, weight[0], window, op.stride, op.pad);
}

TypeResult Infer(const MaxPool2d& op, const OperandTypes& operands) {
  return InferPool("MaxPool2d", op, operands[0].shape);
}

TypeResult Infer(const AveragePool2d& op, const OperandTypes& operands) {
  return InferPool("AveragePool2d", op, operands[0].shape);
}

TypeResult Infer(const GlobalAveragePool&, const OperandTypes& operands) {
  const Shape& x = operands[0].shape;
  if (x.size() != 4) return BadShape("GlobalAveragePool takes x [N, C, H, W], not " + ToString(x));
  return ValueType{ElementType::kFloat32, {x[0], x[1], 1, 1}};
}

}  // namespace tally::quant
