#include <string>
#include <string_view>

#include "base/status_macros.h"
#include "ops/window.h"
#include "quant/ops/pooling/pooling_ops.h"

namespace tally::quant {
namespace {

// One axis of a pool over `size` elements.
struct Axis {
  Window window;
  int64_t size;
};

template <typename Pool>
TypeResult InferPool(const Pool& op, const Shape& x, bool ceil_mode) {
  const std::string name(op.kTraits.name);
  RETURN_IF_ERROR(CheckWindow(name, x, op.stride, op.dilation, op.pad));
  if (!InRange(op.kernel.y, 1) || !InRange(op.kernel.x, 1) || !InRange(op.kernel.z, 1)) {
    return BadAttribute(name + ": kernel out of range");
  }
  const Extents in = SpatialSize(x);
  const Axis axes[] = {
      {{op.kernel.y, op.stride.y, op.dilation.y, op.pad.top, op.pad.bottom}, in.y},
      {{op.kernel.x, op.stride.x, op.dilation.x, op.pad.left, op.pad.right}, in.x},
      {{op.kernel.z, op.stride.z, op.dilation.z, op.pad.front, op.pad.back}, in.z},
  };
  int64_t counts[3];
  for (size_t i = 0; i < 3; ++i) {
    const Window& window = axes[i].window;
    if (window.pad_begin >= window.extent() || window.pad_end >= window.extent()) {
      return BadAttribute(name + ": a pad is not smaller than the kernel");
    }
    counts[i] = CountWindows(window, axes[i].size, ceil_mode);
    if (counts[i] < 1) return BadShape(name + ": the window is larger than padded x " + ToString(x));
    if (!EveryWindowHasAnElement(window, axes[i].size, counts[i])) {
      return BadAttribute(name + ": a window has no element of x " + ToString(x));
    }
  }
  return ValueType{ElementType::kFloat32, WithSize(x, x[1], {counts[0], counts[1], counts[2]})};
}

}  // namespace

TypeResult MaxPool::Infer(const OperandTypes& operands) const {
  return InferPool(*this, operands[0].shape, /*ceil_mode=*/false);
}

TypeResult AveragePool::Infer(const OperandTypes& operands) const {
  return InferPool(*this, operands[0].shape, ceil_mode);
}

TypeResult GlobalAveragePool::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  if (x.size() != 4 && x.size() != 5) {
    return BadShape("GlobalAveragePool takes x [N, C, H, W] or [N, C, D, H, W], not " + ToString(x));
  }
  return ValueType{ElementType::kFloat32, WithSize(x, x[1], {})};
}

}  // namespace tally::quant
