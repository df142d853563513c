#include <cmath>
#include <utility>
#include <vector>

#include "ops/image/lowering/tap_table.h"
#include "quant/ops/image/image_ops.h"
#include "quant/ops/lines.h"

namespace tally::quant {
namespace {

// A tensor of doubles, between the axes.
using Wide = DenseTensor<double>;

Wide Resampled(const Wide& x, int64_t axis, const TapTable& table) {
  const AxisView view = Around(x.shape, axis);
  const int64_t size = static_cast<int64_t>(table.index.size()) / table.taps;
  Wide y{x.shape, {}};
  y.shape[static_cast<size_t>(axis)] = size;
  y.data.assign(static_cast<size_t>(NumElements(y.shape)), 0);
  for (int64_t outer = 0; outer < view.outer; ++outer) {
    for (int64_t o = 0; o < size; ++o) {
      double* to = y.data.data() + (outer * size + o) * view.inner;
      for (int64_t tap = o * table.taps; tap < (o + 1) * table.taps; ++tap) {
        if (table.weight[tap] == 0) continue;  // an infinity that it does not read stays out of it
        const double weight = static_cast<double>(table.weight[tap]) / static_cast<double>(table.whole);
        const double* from = x.data.data() + (outer * view.size + table.index[tap]) * view.inner;
        for (int64_t i = 0; i < view.inner; ++i) to[i] += weight * from[i];
      }
    }
  }
  return y;
}

// The table of the lowering, with weights of 30 bits instead of 11.
FloatTensor ResizedBy(ResizeAttrs attrs, const FloatTensor& x, const Shape& shape) {
  attrs.weight_bits = 30;
  Wide image{x.shape, {x.data.begin(), x.data.end()}};
  for (size_t i = 0; i < 2; ++i) {
    const size_t axis = 2 + i;
    ResizedAxis resized = {.in = x.shape[axis], .out = shape[axis], .scale = {shape[axis], x.shape[axis]}};
    if (!attrs.scales.empty()) resized.scale = {attrs.scales[2 * i], attrs.scales[2 * i + 1]};
    image = Resampled(image, static_cast<int64_t>(axis), *MakeTapTable(attrs, resized));
  }
  return FloatTensor{shape, {image.data.begin(), image.data.end()}};
}

}  // namespace

Tensor Resize::Evaluate(Operands operands, const Shape& shape) const {
  return ResizedBy(attrs(), Float(operands[0]), shape);
}

Tensor ResizeCubic::Evaluate(Operands operands, const Shape& shape) const {
  return ResizedBy(attrs(), Float(operands[0]), shape);
}

}  // namespace tally::quant
