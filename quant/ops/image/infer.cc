#include <cmath>

#include "base/status_macros.h"
#include "quant/ops/image/image_ops.h"

namespace tally::quant {
namespace {

template <typename Op>
TypeResult InferResized(const Op& op, const Shape& x) {
  const std::string name(op.kTraits.name);
  if (x.size() != 4) return BadShape(name + " takes x [N, C, H, W], not " + ToString(x));
  constexpr int64_t kMost = int64_t{1} << 18;  // points of an axis, for each of which a table has four taps
  if (op.size.y < 1 || op.size.x < 1 || op.size.y > kMost || op.size.x > kMost) {
    return BadAttribute(name + ": size [" + std::to_string(op.size.y) + ", " + std::to_string(op.size.x) +
                        "] is not within 1 and 2^18");
  }
  if (op.coordinates == Coordinates::kTfCropAndResize || (!op.scales.empty() && op.scales.size() != 4)) {
    return BadAttribute(name + ": size without regions and 0 or 4 numbers of scales expected, found " +
                        std::to_string(op.scales.size()));
  }
  for (const int64_t term : op.scales) {
    if (!InRange(term, 1)) return BadAttribute(name + ": scale out of range");
  }
  return ValueType{ElementType::kFloat32, {x[0], x[1], op.size.y, op.size.x}};
}

}  // namespace

TypeResult Resize::Infer(const OperandTypes& operands) const {
  return InferResized(*this, operands[0].shape);
}

TypeResult ResizeCubic::Infer(const OperandTypes& operands) const {
  if (!(std::abs(coefficient) <= 16)) return BadAttribute("ResizeCubic: the coefficient is not within 16");
  return InferResized(*this, operands[0].shape);
}

}  // namespace tally::quant
