#include "quant/ops/window.h"

#include "base/status_macros.h"

namespace tally::quant {
namespace {

// How many windows of `window` elements fit `padded` elements; 0 when none does.
int64_t NumWindows(int64_t padded, int64_t window, int64_t stride) {
  return padded < window ? 0 : (padded - window) / stride + 1;
}

}  // namespace

absl::Status CheckWindow(std::string_view op, const Shape& x, const Extent2d& stride, const Padding2d& pad) {
  if (x.size() != 4) return BadShape(std::string(op) + " takes x [N, C, H, W], not " + ToString(x));
  if (!InRange(stride.y, 1) || !InRange(stride.x, 1))
    return BadAttribute(std::string(op) + ": stride out of range");
  for (const int64_t amount : {pad.top, pad.left, pad.bottom, pad.right}) {
    if (!InRange(amount, 0)) return BadAttribute(std::string(op) + ": pad out of range");
  }
  return absl::OkStatus();
}

TypeResult WindowResult(std::string_view op, const Shape& x, int64_t channels, const Extent2d& window,
                        const Extent2d& stride, const Padding2d& pad) {
  const int64_t out_y = NumWindows(x[2] + pad.top + pad.bottom, window.y, stride.y);
  const int64_t out_x = NumWindows(x[3] + pad.left + pad.right, window.x, stride.x);
  if (out_y == 0 || out_x == 0)
    return BadShape(std::string(op) + ": the window is larger than padded x " + ToString(x));
  return ValueType{ElementType::kFloat32, {x[0], channels, out_y, out_x}};
}

}  // namespace tally::quant
