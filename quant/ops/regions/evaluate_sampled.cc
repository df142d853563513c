#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ops/image/grid_taps.h"
#include "quant/ops/regions/plane.h"
#include "quant/ops/regions/sampled_ops.h"

namespace tally::quant {
namespace {

// Keys' kernel, with the coefficient -3/4.
double Cubic(double z) {
  z = std::abs(z);
  if (z <= 1) return (1.25 * z - 2.25) * z * z + 1;
  return z < 2 ? -0.75 * (((z - 5) * z + 8) * z - 4) : 0;
}

// The weight of a pixel whose distance along an axis is z.
double GridWeight(GridSampleMode mode, double z) {
  return mode == GridSampleMode::kCubic ? Cubic(z) : std::max(1 - std::abs(z), 0.0);
}

}  // namespace

Tensor GridSample::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor &x = Float(operands[0]), &grid = Float(operands[1]);
  const GridForm form = {mode, padding, align_corners, 0};
  FloatTensor y = ZeroTensor(shape);
  const auto position = [&](float g, int64_t pixels) {
    const auto n = static_cast<double>(pixels);
    return align_corners ? (g + 1.0) / 2 * (n - 1) : ((g + 1.0) * n - 1) / 2;
  };
  const int64_t points = shape[2] * shape[3];
  for (int64_t n = 0; n < shape[0]; ++n) {
    for (int64_t point = 0; point < points; ++point) {
      const float* g = grid.data.data() + (n * points + point) * 2;
      double v = position(g[1], x.shape[2]), u = position(g[0], x.shape[3]);
      if (mode == GridSampleMode::kNearest) v = std::nearbyint(v), u = std::nearbyint(u);
      const auto row = static_cast<int64_t>(std::floor(v)), column = static_cast<int64_t>(std::floor(u));
      for (int64_t c = 0; c < shape[1]; ++c) {
        const Plane plane(x, n, c);
        double sum = 0;
        for (int64_t h = row - 1; h <= row + 2; ++h) {
          for (int64_t w = column - 1; w <= column + 2; ++w) {
            const double weight =
                GridWeight(mode, v - static_cast<double>(h)) * GridWeight(mode, u - static_cast<double>(w));
            const int64_t i = PixelOfTap(h, plane.height, form), j = PixelOfTap(w, plane.width, form);
            if (weight != 0 && i >= 0 && j >= 0) sum += weight * plane.At(i, j);
          }
        }
        y.data[static_cast<size_t>((n * shape[1] + c) * points + point)] = static_cast<float>(sum);
      }
    }
  }
  return y;
}

Tensor DeformableConv::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor &x = Float(operands[0]), &weight = Float(operands[1]), &offset = Float(operands[2]);
  const FloatTensor* mask = operands.size() == 4 ? &Float(operands[3]) : nullptr;
  const int64_t in = weight.shape[1], kernel_y = weight.shape[2], kernel_x = weight.shape[3];
  const int64_t of_group = shape[1] / groups, of_offsets = x.shape[1] / offset_groups;
  const int64_t points = shape[2] * shape[3], taps = offset_groups * kernel_y * kernel_x;
  const auto sample = [&](const Plane& plane, double v, double u) {
    const bool zero_samples = border == DeformableBorder::kZeroSamples;
    const auto height = static_cast<double>(plane.height), width = static_cast<double>(plane.width);
    if (zero_samples) return v < 0 || v >= height || u < 0 || u >= width ? 0 : plane.Between(v, u);
    if (v <= -1 || v >= height || u <= -1 || u >= width) return 0.0;
    double sum = 0;
    Plane::Around(v, u, [&](double part, int64_t row, int64_t column) {
      if (plane.Has(row, column)) sum += part * plane.At(row, column);
    });
    return sum;
  };
  FloatTensor y = ZeroTensor(shape);
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t oc = 0; oc < shape[1]; ++oc)
      for (int64_t point = 0; point < points; ++point) {
        double sum = 0;
        for (int64_t ic = 0; ic < in; ++ic) {
          const int64_t channel = oc / of_group * in + ic;
          const Plane plane(x, n, channel);
          for (int64_t ky = 0; ky < kernel_y; ++ky)
            for (int64_t kx = 0; kx < kernel_x; ++kx) {
              const int64_t k = (channel / of_offsets * kernel_y + ky) * kernel_x + kx;
              const float* moved = offset.data.data() + (n * 2 * taps + 2 * k) * points + point;
              const double v =
                  static_cast<double>(point / shape[3] * stride.y - pad.top + ky * dilation.y) + moved[0];
              const double u = static_cast<double>(point % shape[3] * stride.x - pad.left + kx * dilation.x) +
                               moved[points];
              const double part =
                  mask == nullptr ? 1 : mask->data[static_cast<size_t>((n * taps + k) * points + point)];
              sum += weight.data[static_cast<size_t>(((oc * in + ic) * kernel_y + ky) * kernel_x + kx)] *
                     part * sample(plane, v, u);
            }
        }
        y.data[static_cast<size_t>((n * shape[1] + oc) * points + point)] = static_cast<float>(sum);
      }
  return y;
}

}  // namespace tally::quant
