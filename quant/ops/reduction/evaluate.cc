#include <cmath>
#include <limits>
#include <vector>

#include "quant/ops/groups.h"
#include "quant/ops/lines.h"
#include "quant/ops/reduction/reduction_ops.h"

namespace tally::quant {

Tensor ArgExtreme::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  const AxisView view = Around(x.shape, axis);
  Int64Tensor y{shape, std::vector<int64_t>(static_cast<size_t>(NumElements(shape)))};
  ForEachLine(view, [&](int64_t first, int64_t line_number) {
    const float* line = x.data.data() + first;
    int64_t best = 0;
    for (int64_t i = 1; i < view.size; ++i) {
      const float element = line[i * view.inner], champion = line[best * view.inner];
      const bool is_better = is_min ? element < champion : element > champion;
      if (is_better || (takes_last && element == champion)) best = i;
    }
    y.data[line_number] = best;
  });
  return y;
}

Tensor ReduceSum::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  const std::vector<int64_t> group = GroupOfEach(x.shape, axes);
  FloatTensor y = ZeroTensor(shape);
  std::vector<double> sums(y.data.size());
  for (size_t i = 0; i < x.data.size(); ++i) sums[group[i]] += x.data[i];
  const double divisor = is_mean ? static_cast<double>(x.data.size() / y.data.size()) : 1;
  for (size_t i = 0; i < y.data.size(); ++i) y.data[i] = static_cast<float>(sums[i] / divisor);
  return y;
}

// Written so that NaN passes through, for calibration to find and name.
Tensor ReduceExtreme::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  const std::vector<int64_t> group = GroupOfEach(x.shape, axes);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  FloatTensor y = ZeroTensor(shape);
  y.data.assign(y.data.size(), is_min ? kInfinity : -kInfinity);
  for (size_t i = 0; i < x.data.size(); ++i) {
    float& best = y.data[group[i]];
    const bool wins = is_min ? x.data[i] < best : x.data[i] > best;
    if (wins || std::isnan(x.data[i])) best = x.data[i];
  }
  return y;
}

}  // namespace tally::quant
