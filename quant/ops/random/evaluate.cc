#include <algorithm>
#include <cmath>

#include "ops/sampling/philox.h"
#include "quant/ops/random/random_ops.h"

namespace tally::quant {

Tensor RandomIntegers::Evaluate(Operands, const Shape& drawn) const {
  const RandomStream stream = {.seed = seed, .layer = layer};
  Int64Tensor y{drawn, {}};
  for (int64_t i = 0; i < NumElements(drawn); ++i) {
    y.data.push_back(lo + DrawBelow(DrawBits(stream, i), hi - lo + 1));
  }
  return y;
}

Tensor RandomCategorical::Evaluate(Operands operands, const Shape& shape) const {
  const RandomStream stream = {.seed = seed, .layer = layer};
  const FloatTensor& weights = Float(operands[0]);
  const int64_t choices = weights.shape.back();
  Int64Tensor y{shape, {}};
  for (int64_t row = 0; row < std::ssize(weights.data) / choices; ++row) {
    const float* w = weights.data.data() + row * choices;
    double sum = 0;
    for (int64_t k = 0; k < choices; ++k) sum += std::max(w[k], 0.0f);
    for (int64_t s = 0; s < samples; ++s) {
      const double r = std::ldexp(static_cast<double>(DrawBits(stream, row * samples + s)), -64) * sum;
      int64_t k = 0;
      for (double before = std::max(w[0], 0.0f); sum > 0 && before <= r && k + 1 < choices;) {
        before += std::max(w[++k], 0.0f);
      }
      y.data.push_back(k);
    }
  }
  return y;
}

}  // namespace tally::quant
