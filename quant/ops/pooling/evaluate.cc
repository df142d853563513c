#include <algorithm>
#include <limits>
#include <vector>

#include "quant/ops/pooling/pooling_ops.h"

namespace tally::quant {
namespace {

// The part of one window that is inside a plane.
struct Window {
  int64_t first_y, last_y, first_x, last_x;  // half open
};

// Calls visit(plane, window, output index) for every output element, in row-major order.
template <typename Pool, typename Visit>
void ForEachWindow(const Pool& op, const FloatTensor& x, const Shape& shape, Visit visit) {
  const int64_t in_y = x.shape[2], in_x = x.shape[3];
  int64_t index = 0;
  for (int64_t channel = 0; channel < shape[0] * shape[1]; ++channel) {
    const float* plane = x.data.data() + channel * in_y * in_x;
    for (int64_t oy = 0; oy < shape[2]; ++oy) {
      const int64_t top = oy * op.stride.y - op.pad.top;
      for (int64_t ox = 0; ox < shape[3]; ++ox) {
        const int64_t left = ox * op.stride.x - op.pad.left;
        visit(plane,
              Window{std::max<int64_t>(top, 0), std::min(top + op.kernel.y, in_y), std::max<int64_t>(left, 0),
                     std::min(left + op.kernel.x, in_x)},
              index++);
      }
    }
  }
}

double Sum(const float* plane, int64_t row_size, const Window& window) {
  double sum = 0;
  for (int64_t y = window.first_y; y < window.last_y; ++y) {
    for (int64_t x = window.first_x; x < window.last_x; ++x) sum += plane[y * row_size + x];
  }
  return sum;
}

}  // namespace

Tensor MaxPool2d::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  FloatTensor y = ZeroTensor(shape);
  ForEachWindow(*this, x, shape, [&](const float* plane, const Window& window, int64_t index) {
    float largest = -std::numeric_limits<float>::infinity();
    for (int64_t iy = window.first_y; iy < window.last_y; ++iy) {
      const float* row = plane + iy * x.shape[3];
      largest = std::max(largest, *std::max_element(row + window.first_x, row + window.last_x));
    }
    y.data[index] = largest;
  });
  return y;
}

Tensor AveragePool2d::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  FloatTensor y = ZeroTensor(shape);
  ForEachWindow(*this, x, shape, [&](const float* plane, const Window& window, int64_t index) {
    const int64_t count = count_include_pad
                              ? kernel.y * kernel.x
                              : (window.last_y - window.first_y) * (window.last_x - window.first_x);
    y.data[index] = static_cast<float>(Sum(plane, x.shape[3], window) / static_cast<double>(count));
  });
  return y;
}

Tensor GlobalAveragePool::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  AveragePool2d whole;
  whole.kernel = {x.shape[2], x.shape[3]};
  return whole.Evaluate(operands, shape);
}

}  // namespace tally::quant
