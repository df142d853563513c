#include <cmath>

#include "quant/ops/quantization/quantization_ops.h"

namespace tally::quant {

// NaN passes through, for calibration to find and name.
Tensor FakeQuantize::Evaluate(Operands operands, const Shape&) const {
  FloatTensor y = Float(operands[0]);
  for (float& element : y.data) {
    if (std::isnan(element)) continue;
    element = static_cast<float>(static_cast<double>(grid.Quantize(element) - grid.zero_point) * grid.scale);
  }
  return y;
}

}  // namespace tally::quant
