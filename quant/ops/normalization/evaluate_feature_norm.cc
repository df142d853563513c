#include <cmath>
#include <vector>

#include "quant/ops/groups.h"
#include "quant/ops/normalization/normalization_ops.h"
#include "quant/tensor/broadcast_index.h"

namespace tally::quant {
namespace {

// The quotients of each element's distance from its group's centre, the mean or 0.
std::vector<double> Normalized(const FloatTensor& x, const std::vector<int64_t>& axes, float epsilon,
                               bool is_centred) {
  const std::vector<int64_t> group = GroupOfEach(x.shape, axes);
  const double size = static_cast<double>(GroupSize(x.shape, axes));
  const size_t num_groups = static_cast<size_t>(NumElements(ShapeOfGroups(x.shape, axes)));
  std::vector<double> centre(num_groups), squares(num_groups);
  if (is_centred) {
    for (size_t i = 0; i < group.size(); ++i) centre[group[i]] += x.data[i] / size;
  }
  std::vector<double> y(x.data.begin(), x.data.end());
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] -= centre[group[i]];
    squares[group[i]] += y[i] * y[i];
  }
  for (size_t i = 0; i < y.size(); ++i) {
    const double spread = squares[group[i]] / size + epsilon;
    y[i] = spread == 0 ? 0 : y[i] / std::sqrt(spread);
  }
  return y;
}

Tensor FeatureNorm(Operands operands, const std::vector<int64_t>& axes, float epsilon, bool is_centred) {
  const FloatTensor& x = Float(operands[0]);
  std::vector<double> normalized = Normalized(x, axes, epsilon, is_centred);
  for (size_t operand = 1; operand < operands.size(); ++operand) {
    const FloatTensor& weights = Float(operands[operand]);
    const std::vector<int64_t> index = BroadcastIndex(weights.shape, x.shape);
    for (size_t i = 0; i < index.size(); ++i) {
      const double weight = weights.data[index[i]];
      normalized[i] = operand == 1 ? normalized[i] * weight : normalized[i] + weight;
    }
  }
  return FloatTensor{x.shape, {normalized.begin(), normalized.end()}};
}

}  // namespace

Tensor LayerNorm::Evaluate(Operands operands, const Shape&) const {
  return FeatureNorm(operands, axes, epsilon, /*is_centred=*/true);
}

Tensor RmsNorm::Evaluate(Operands operands, const Shape&) const {
  return FeatureNorm(operands, axes, epsilon, /*is_centred=*/false);
}

}  // namespace tally::quant
