#include <algorithm>
#include <vector>

#include "base/int_math.h"
#include "quant/ops/linear/linear_ops.h"
#include "quant/tensor/broadcast_index.h"

namespace tally::quant {
namespace {

// The outputs [first, last) of one axis whose input is inside x for one kernel position, and that
// input of output 0.
struct Reach {
  int64_t first;
  int64_t last;
  int64_t offset;
};

// One Reach per kernel position.
std::vector<Reach> ReachesOf(int64_t kernel, int64_t stride, int64_t dilation, int64_t pad, int64_t size,
                             int64_t num_outputs) {
  std::vector<Reach> reaches;
  for (int64_t k = 0; k < kernel; ++k) {
    const int64_t offset = k * dilation - pad;
    const int64_t first = CeilDiv(std::max<int64_t>(-offset, 0), stride);
    const int64_t last = offset < size ? (size - 1 - offset) / stride + 1 : 0;
    reaches.push_back({first, std::clamp<int64_t>(last, 0, num_outputs), offset});
  }
  return reaches;
}

// sums[o] += weight * row[o * stride + offset] for the outputs that `reach` covers.
void AccumulateRow(const Reach& reach, int64_t stride, double weight, const float* row, double* sums) {
  if (stride == 1) {  // apart, so that the compiler sees contiguous elements
    for (int64_t o = reach.first; o < reach.last; ++o) sums[o] += weight * row[o + reach.offset];
  } else {
    for (int64_t o = reach.first; o < reach.last; ++o) sums[o] += weight * row[o * stride + reach.offset];
  }
}

// As many rows of outputs as stay in the nearest cache while every weight passes over them.
int64_t RowsPerBlock(int64_t row_size) { return std::max<int64_t>(2048 / row_size, 1); }

}  // namespace

// Each output is its bias and then the sum over ic, kz, ky and kx, in that order. A block of rows is summed
// at a time, so that the innermost loop runs along x and carries no dependence.
Tensor Conv::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  const FloatTensor& weight = Float(operands[1]);
  const FloatTensor* bias = operands.size() == 3 ? &Float(operands[2]) : nullptr;
  const int64_t num_in = x.shape[1], num_out = shape[1], group_in = weight.shape[1];
  const Extents in = SpatialSize(x.shape), out = SpatialSize(shape), kernel = SpatialSize(weight.shape);
  const int64_t group_out = num_out / groups;
  const std::vector<Reach> reach_z = ReachesOf(kernel.z, stride.z, dilation.z, pad.front, in.z, out.z);
  const std::vector<Reach> reach_y = ReachesOf(kernel.y, stride.y, dilation.y, pad.top, in.y, out.y);
  const std::vector<Reach> reach_x = ReachesOf(kernel.x, stride.x, dilation.x, pad.left, in.x, out.x);
  const int64_t block_size = RowsPerBlock(out.x);

  FloatTensor y = ZeroTensor(shape);
  std::vector<double> sums(static_cast<size_t>(block_size * out.x));
  for (int64_t slab = 0; slab < shape[0] * num_out * out.z; ++slab) {
    const int64_t plane = slab / out.z, oz = slab % out.z;
    const int64_t n = plane / num_out, oc = plane % num_out;
    const float* group = x.data.data() + (n * num_in + oc / group_out * group_in) * in.z * in.y * in.x;
    const float* weights = weight.data.data() + oc * group_in * kernel.z * kernel.y * kernel.x;
    for (int64_t block = 0; block < out.y; block += block_size) {
      const int64_t block_end = std::min(block + block_size, out.y);
      std::fill(sums.begin(), sums.end(), bias == nullptr ? 0.0 : bias->data[oc]);
      const float* w = weights;
      for (int64_t ic = 0; ic < group_in; ++ic) {
        for (const Reach& rz : reach_z) {
          if (oz < rz.first || oz >= rz.last) {
            w += kernel.y * kernel.x;
            continue;
          }
          const float* image = group + (ic * in.z + oz * stride.z + rz.offset) * in.y * in.x;
          for (const Reach& ry : reach_y) {
            for (const Reach& rx : reach_x) {
              const double factor = *w++;
              for (int64_t oy = std::max(ry.first, block); oy < std::min(ry.last, block_end); ++oy) {
                const float* row = image + (oy * stride.y + ry.offset) * in.x;
                AccumulateRow(rx, stride.x, factor, row, sums.data() + (oy - block) * out.x);
              }
            }
          }
        }
      }
      std::copy_n(sums.begin(), (block_end - block) * out.x, y.data.begin() + (slab * out.y + block) * out.x);
    }
  }
  return y;
}

// Each output is its bias and then the sum over ic, kz, ky and kx: a row of x at a time is added where it
// meets the outputs.
Tensor ConvTranspose::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  const FloatTensor& weight = Float(operands[1]);
  const FloatTensor* bias = operands.size() == 3 ? &Float(operands[2]) : nullptr;
  const int64_t num_in = x.shape[1], num_out = shape[1];
  const Extents in = SpatialSize(x.shape), out = SpatialSize(shape), kernel = SpatialSize(weight.shape);
  const int64_t group_in = num_in / groups, group_out = weight.shape[1];
  const int64_t taps = kernel.z * kernel.y * kernel.x;

  FloatTensor y = ZeroTensor(shape);
  std::vector<double> sums(static_cast<size_t>(out.z * out.y * out.x));
  for (int64_t plane = 0; plane < shape[0] * num_out; ++plane) {
    const int64_t n = plane / num_out, oc = plane % num_out, group = oc / group_out;
    std::fill(sums.begin(), sums.end(), bias == nullptr ? 0.0 : bias->data[oc]);
    for (int64_t ic = group * group_in; ic < (group + 1) * group_in; ++ic) {
      const float* rows = x.data.data() + (n * num_in + ic) * in.z * in.y * in.x;
      const float* w = weight.data.data() + (ic * group_out + oc % group_out) * taps;
      for (int64_t tap = 0; tap < taps; ++tap) {
        const double factor = w[tap];
        const int64_t front = tap / (kernel.y * kernel.x) * dilation.z - pad.front;
        const int64_t top = tap / kernel.x % kernel.y * dilation.y - pad.top;
        const int64_t left = tap % kernel.x * dilation.x - pad.left;
        for (int64_t row = 0; row < in.z * in.y; ++row) {
          const int64_t oz = row / in.y * stride.z + front, oy = row % in.y * stride.y + top;
          if (oz < 0 || oz >= out.z || oy < 0 || oy >= out.y) continue;
          for (int64_t ix = 0; ix < in.x; ++ix) {
            const int64_t ox = ix * stride.x + left;
            if (ox >= 0 && ox < out.x) sums[(oz * out.y + oy) * out.x + ox] += factor * rows[row * in.x + ix];
          }
        }
      }
    }
    std::copy(sums.begin(), sums.end(), y.data.begin() + plane * std::ssize(sums));
  }
  return y;
}

// y[m, n] = bias[n] + sum over k.
Tensor Dense::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  const FloatTensor& weight = Float(operands[1]);
  const FloatTensor* bias = operands.size() == 3 ? &Float(operands[2]) : nullptr;
  const int64_t depth = x.shape[1];
  FloatTensor y = ZeroTensor(shape);
  for (int64_t m = 0; m < shape[0]; ++m) {
    const float* row = x.data.data() + m * depth;
    for (int64_t n = 0; n < shape[1]; ++n) {
      const float* column = weight.data.data() + n * depth;
      double sum = bias == nullptr ? 0.0 : bias->data[n];
      for (int64_t k = 0; k < depth; ++k) sum += double{row[k]} * column[k];
      y.data[m * shape[1] + n] = static_cast<float>(sum);
    }
  }
  return y;
}

// y[..., m, n] = sum over k of a[..., m, k] b[..., k, n].
Tensor MatMul::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& a = Float(operands[0]);
  const FloatTensor& b = Float(operands[1]);
  const int64_t num_m = shape[shape.size() - 2], num_n = shape.back(), depth = a.shape.back();
  const Shape batch(shape.begin(), shape.end() - 2);
  const std::vector<int64_t> a_batch = BroadcastIndex(Shape(a.shape.begin(), a.shape.end() - 2), batch);
  const std::vector<int64_t> b_batch = BroadcastIndex(Shape(b.shape.begin(), b.shape.end() - 2), batch);

  FloatTensor y = ZeroTensor(shape);
  std::vector<double> sums(static_cast<size_t>(num_n));
  for (size_t i = 0; i < a_batch.size(); ++i) {
    for (int64_t m = 0; m < num_m; ++m) {
      const float* row = a.data.data() + (a_batch[i] * num_m + m) * depth;
      std::fill(sums.begin(), sums.end(), 0.0);
      for (int64_t k = 0; k < depth; ++k) {
        const float* b_row = b.data.data() + (b_batch[i] * depth + k) * num_n;
        const double factor = row[k];
        for (int64_t n = 0; n < num_n; ++n) sums[n] += factor * b_row[n];
      }
      std::ranges::transform(sums, y.data.begin() + (static_cast<int64_t>(i) * num_m + m) * num_n,
                             [&](double sum) { return static_cast<float>(sum * factor); });
    }
  }
  return y;
}

}  // namespace tally::quant
