#include <algorithm>
#include <vector>

#include "base/int_math.h"
#include "quant/graph/evaluate.h"

namespace tally::quant {
namespace {

// The output positions o in [first, last) for which o * stride + offset lies in [0, size).
struct Interval {
  int64_t first;
  int64_t last;
};

Interval PositionsInside(int64_t offset, int64_t stride, int64_t size, int64_t num_positions) {
  const int64_t first = CeilDiv(std::max<int64_t>(-offset, 0), stride);
  const int64_t last = offset < size ? (size - 1 - offset) / stride + 1 : 0;
  return {std::min(first, num_positions), std::clamp<int64_t>(last, 0, num_positions)};
}

}  // namespace

// y[n, oc, oy, ox] = bias[oc] + sum over ic, ky, kx, in that order. One row of outputs is summed at a time,
// so that the innermost loop runs along x and carries no dependence.
Tensor Evaluate(const Conv2d& op, Operands operands, const Shape& shape) {
  const FloatTensor& x = Float(operands[0]);
  const FloatTensor& weight = Float(operands[1]);
  const FloatTensor* bias = operands.size() == 3 ? &Float(operands[2]) : nullptr;
  const int64_t num_in = x.shape[1], in_y = x.shape[2], in_x = x.shape[3];
  const int64_t num_out = shape[1], out_y = shape[2], out_x = shape[3];
  const int64_t group_in = weight.shape[1], kernel_y = weight.shape[2], kernel_x = weight.shape[3];
  const int64_t group_out = num_out / op.groups;

  FloatTensor y = ZeroTensor(shape);
  std::vector<double> sums(static_cast<size_t>(out_x));
  for (int64_t n = 0; n < shape[0]; ++n) {
    for (int64_t oc = 0; oc < num_out; ++oc) {
      const int64_t first_in = oc / group_out * group_in;
      for (int64_t oy = 0; oy < out_y; ++oy) {
        std::fill(sums.begin(), sums.end(), bias == nullptr ? 0.0 : bias->data[oc]);
        for (int64_t ic = 0; ic < group_in; ++ic) {
          const float* plane = x.data.data() + (n * num_in + first_in + ic) * in_y * in_x;
          const float* kernel = weight.data.data() + (oc * group_in + ic) * kernel_y * kernel_x;
          for (int64_t ky = 0; ky < kernel_y; ++ky) {
            const int64_t iy = oy * op.stride.y + ky * op.dilation.y - op.pad.top;
            if (iy < 0 || iy >= in_y) continue;
            for (int64_t kx = 0; kx < kernel_x; ++kx) {
              const int64_t offset = kx * op.dilation.x - op.pad.left;
              const Interval inside = PositionsInside(offset, op.stride.x, in_x, out_x);
              const double w = kernel[ky * kernel_x + kx];
              const float* row = plane + iy * in_x;
              for (int64_t ox = inside.first; ox < inside.last; ++ox)
                sums[ox] += w * row[ox * op.stride.x + offset];
            }
          }
        }
        std::copy(sums.begin(), sums.end(), y.data.begin() + ((n * num_out + oc) * out_y + oy) * out_x);
      }
    }
  }
  return y;
}

}  // namespace tally::quant
