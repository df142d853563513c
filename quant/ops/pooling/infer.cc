#include <string_view>

#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/ops/pooling/pooling_ops.h"

namespace tally::quant {
namespace {

template <typename Pool>
TypeResult InferPool(std::string_view name, const Pool& op, const Shape& x) {
  RETURN_IF_ERROR(CheckWindow(name, x, op.stride, op.pad));
  if (!InRange(op.kernel.y, 1) || !InRange(op.kernel.x, 1)) {
    return BadAttribute(absl::StrCat(ToAbsl(name), ": kernel out of range"));
  }
  if (op.pad.top >= op.kernel.y || op.pad.bottom >= op.kernel.y || op.pad.left >= op.kernel.x ||
      op.pad.right >= op.kernel.x) {
    return BadAttribute(absl::StrCat(ToAbsl(name), ": a pad is not smaller than the kernel"));
  }
  return WindowResult(name, x, x[1], op.kernel, op.stride, op.pad);
}

}  // namespace

TypeResult MaxPool2d::Infer(const OperandTypes& operands) const {
  return InferPool("MaxPool2d", *this, operands[0].shape);
}

TypeResult AveragePool2d::Infer(const OperandTypes& operands) const {
  return InferPool("AveragePool2d", *this, operands[0].shape);
}

TypeResult GlobalAveragePool::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  if (x.size() != 4) return BadShape("GlobalAveragePool takes x [N, C, H, W], not " + ToString(x));
  return ValueType{ElementType::kFloat32, {x[0], x[1], 1, 1}};
}

}  // namespace tally::quant
