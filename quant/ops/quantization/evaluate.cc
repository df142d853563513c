#include <algorithm>
#include <cmath>

#include "quant/ops/quantization/quantization_ops.h"

namespace tally::quant {

namespace {

// Codes are to the nearest, of two to the even one; a grid of another format may want the one away from zero.
int64_t CodeOf(const QuantizedType& grid, double real) {
  const int64_t code = grid.Quantize(real);
  if (grid.rounding != Rounding::kHalfAway) return code;
  const double away = static_cast<double>(code - grid.zero_point) + std::copysign(0.5, real);
  if (away * grid.scale != real) return code;  // the product is exact: a scale has 24 bits
  return std::clamp(code + (real < 0 ? -1 : 1), grid.interval.lo, grid.interval.hi);
}

}  // namespace

// NaN passes through, for calibration to find and name.
Tensor FakeQuantize::Evaluate(Operands operands, const Shape&) const {
  FloatTensor y = Float(operands[0]);
  for (float& element : y.data) {
    if (std::isnan(element)) continue;
    element = static_cast<float>(static_cast<double>(CodeOf(grid, element) - grid.zero_point) * grid.scale);
  }
  return y;
}

}  // namespace tally::quant
