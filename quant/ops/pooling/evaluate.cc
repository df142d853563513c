#include <algorithm>
#include <limits>
#include <vector>

#include "quant/ops/pooling/pooling_ops.h"

namespace tally::quant {
namespace {

// The places on one axis of x that a window reads, and how many of its taps are inside x and its pads.
struct Taps {
  std::vector<int64_t> places;
  int64_t num_padded = 0;
};

// By window.
std::vector<Taps> TapsAlong(int64_t windows, int64_t kernel, int64_t stride, int64_t dilation, int64_t begin,
                            int64_t end, int64_t size) {
  std::vector<Taps> taps(static_cast<size_t>(windows));
  for (int64_t window = 0; window < windows; ++window) {
    for (int64_t tap = 0; tap < kernel; ++tap) {
      const int64_t place = window * stride + tap * dilation - begin;
      if (place >= 0 && place < size) taps[window].places.push_back(place);
      if (place < size + end) ++taps[window].num_padded;
    }
  }
  return taps;
}

// Calls visit(plane, z, y, x, output index), with the taps along each axis, for every output element, in
// row-major order.
template <typename Pool, typename Visit>
void ForEachWindow(const Pool& op, const FloatTensor& x, const Shape& shape, Visit visit) {
  const Extents in = SpatialSize(x.shape), out = SpatialSize(shape);
  const auto zs = TapsAlong(out.z, op.kernel.z, op.stride.z, op.dilation.z, op.pad.front, op.pad.back, in.z);
  const auto ys = TapsAlong(out.y, op.kernel.y, op.stride.y, op.dilation.y, op.pad.top, op.pad.bottom, in.y);
  const auto xs = TapsAlong(out.x, op.kernel.x, op.stride.x, op.dilation.x, op.pad.left, op.pad.right, in.x);
  int64_t index = 0;
  for (int64_t channel = 0; channel < shape[0] * shape[1]; ++channel) {
    const float* plane = x.data.data() + channel * in.z * in.y * in.x;
    for (const Taps& z : zs) {
      for (const Taps& y : ys) {
        for (const Taps& across : xs) visit(plane, z, y, across, index++);
      }
    }
  }
}

// f(element) for all elements of a window.
template <typename F>
void ForEachElement(const float* plane, const Extents& in, const Taps& z, const Taps& y, const Taps& x, F f) {
  for (const int64_t iz : z.places) {
    for (const int64_t iy : y.places) {
      const float* row = plane + (iz * in.y + iy) * in.x;
      for (const int64_t ix : x.places) f(row[ix]);
    }
  }
}

}  // namespace

Tensor MaxPool::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  const Extents in = SpatialSize(x.shape);
  FloatTensor result = ZeroTensor(shape);
  ForEachWindow(*this, x, shape, [&](const float* plane, auto& z, auto& y, auto& across, int64_t index) {
    float largest = -std::numeric_limits<float>::infinity();
    ForEachElement(plane, in, z, y, across, [&](float v) { largest = std::max(largest, v); });
    result.data[index] = largest;
  });
  return result;
}

Tensor AveragePool::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  const Extents in = SpatialSize(x.shape);
  FloatTensor result = ZeroTensor(shape);
  ForEachWindow(*this, x, shape, [&](const float* plane, auto& z, auto& y, auto& across, int64_t index) {
    const auto count = count_include_pad
                           ? z.num_padded * y.num_padded * across.num_padded
                           : std::ssize(z.places) * std::ssize(y.places) * std::ssize(across.places);
    double sum = 0;
    ForEachElement(plane, in, z, y, across, [&](float v) { sum += v; });
    result.data[index] = static_cast<float>(sum / static_cast<double>(count));
  });
  return result;
}

Tensor GlobalAveragePool::Evaluate(Operands operands, const Shape& shape) const {
  AveragePool whole;
  whole.kernel = SpatialSize(ShapeOf(*operands[0]));
  return whole.Evaluate(operands, shape);
}

}  // namespace tally::quant
