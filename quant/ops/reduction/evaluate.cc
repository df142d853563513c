#include <vector>

#include "quant/ops/lines.h"
#include "quant/ops/reduction/reduction_ops.h"

namespace tally::quant {

Tensor ArgMax::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  const AxisView view = Around(x.shape, axis);
  Int64Tensor y{shape, std::vector<int64_t>(static_cast<size_t>(NumElements(shape)))};
  ForEachLine(view, [&](int64_t first, int64_t line_number) {
    const float* line = x.data.data() + first;
    int64_t best = 0;
    for (int64_t i = 1; i < view.size; ++i) {
      if (line[i * view.inner] > line[best * view.inner]) best = i;
    }
    y.data[line_number] = best;
  });
  return y;
}

}  // namespace tally::quant
