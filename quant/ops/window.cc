#include "quant/ops/window.h"

#include "base/status_macros.h"

namespace tally::quant {
namespace {

// How many windows of `reach` elements fit `padded` elements; 0 when none does.
int64_t NumWindows(int64_t padded, int64_t reach, int64_t stride) {
  return padded < reach ? 0 : (padded - reach) / stride + 1;
}

std::vector<int64_t> ForRank(size_t rank, int64_t z, int64_t y, int64_t x) {
  return rank == 5 ? std::vector<int64_t>{z, y, x} : std::vector<int64_t>{y, x};
}

}  // namespace

Extents SpatialSize(const Shape& shape) {
  const size_t rank = shape.size();
  return {shape[rank - 2], shape[rank - 1], rank == 5 ? shape[2] : 1};
}

Shape WithSize(const Shape& like, int64_t channels, const Extents& size) {
  if (like.size() == 5) return {like[0], channels, size.z, size.y, size.x};
  return {like[0], channels, size.y, size.x};
}

std::vector<int64_t> ListOf(const Extents& e, size_t rank) { return ForRank(rank, e.z, e.y, e.x); }
std::vector<int64_t> BeginsOf(const Pads& p, size_t rank) { return ForRank(rank, p.front, p.top, p.left); }
std::vector<int64_t> EndsOf(const Pads& p, size_t rank) { return ForRank(rank, p.back, p.bottom, p.right); }

absl::Status CheckWindow(std::string_view op, const Shape& x, const Extents& stride, const Extents& dilation,
                         const Pads& pad) {
  if (x.size() != 4 && x.size() != 5) {
    return BadShape(std::string(op) + " takes x [N, C, H, W] or [N, C, D, H, W], not " + ToString(x));
  }
  for (const int64_t step : {stride.y, stride.x, stride.z}) {
    if (!InRange(step, 1)) return BadAttribute(std::string(op) + ": stride out of range");
  }
  for (const int64_t step : {dilation.y, dilation.x, dilation.z}) {
    if (!InRange(step, 1)) return BadAttribute(std::string(op) + ": dilation out of range");
  }
  for (const int64_t amount : {pad.top, pad.left, pad.bottom, pad.right, pad.front, pad.back}) {
    if (!InRange(amount, 0)) return BadAttribute(std::string(op) + ": pad out of range");
  }
  const bool is_flat = stride.z == 1 && dilation.z == 1 && pad.front == 0 && pad.back == 0;
  if (x.size() == 5 || is_flat) return absl::OkStatus();
  return BadAttribute(std::string(op) + ": an image has no D to move along");
}

Extents ReachOf(const Extents& kernel, const Extents& dilation) {
  return {(kernel.y - 1) * dilation.y + 1, (kernel.x - 1) * dilation.x + 1, (kernel.z - 1) * dilation.z + 1};
}

TypeResult WindowResult(std::string_view op, const Shape& x, int64_t channels, const Extents& reach,
                        const Extents& stride, const Pads& pad) {
  const Extents in = SpatialSize(x);
  const Extents out = {NumWindows(in.y + pad.top + pad.bottom, reach.y, stride.y),
                       NumWindows(in.x + pad.left + pad.right, reach.x, stride.x),
                       NumWindows(in.z + pad.front + pad.back, reach.z, stride.z)};
  if (out.y == 0 || out.x == 0 || out.z == 0)
    return BadShape(std::string(op) + ": the window is larger than padded x " + ToString(x));
  return ValueType{ElementType::kFloat32, WithSize(x, channels, out)};
}

}  // namespace tally::quant
