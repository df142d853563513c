#include "base/status_macros.h"
#include "quant/ops/image/image_ops.h"

namespace tally::quant {

TypeResult Resize::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  if (x.size() != 4) return BadShape("Resize takes x [N, C, H, W], not " + ToString(x));
  constexpr int64_t kMost = int64_t{1} << 18;  // points of an axis, for each of which a table has four taps
  if (size.y < 1 || size.x < 1 || size.y > kMost || size.x > kMost) {
    return BadAttribute("Resize: size [" + std::to_string(size.y) + ", " + std::to_string(size.x) +
                        "] is not within 1 and 2^18");
  }
  if (coordinates == Coordinates::kTfCropAndResize || (!scales.empty() && scales.size() != 4)) {
    return BadAttribute("Resize: there are no regions, and two scales or none");
  }
  for (const int64_t term : scales) {
    if (!InRange(term, 1)) return BadAttribute("Resize: scale out of range");
  }
  return ValueType{ElementType::kFloat32, {x[0], x[1], size.y, size.x}};
}

}  // namespace tally::quant
