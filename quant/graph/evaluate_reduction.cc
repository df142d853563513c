#include <algorithm>
#include <cmath>
#include <vector>

#include "quant/graph/evaluate.h"

namespace tally::quant {
namespace {

// A tensor seen as [outer, size, inner] around one axis.
struct AxisView {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
};

AxisView Around(const Shape& shape, int64_t axis) {
  AxisView view;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
    (i < axis ? view.outer : i == axis ? view.size : view.inner) *= shape[i];
  }
  return view;
}

// Calls visit(index of the first element, line number) for every line along the axis.
template <typename Visit>
void ForEachLine(const AxisView& view, Visit visit) {
  for (int64_t outer = 0; outer < view.outer; ++outer) {
    for (int64_t inner = 0; inner < view.inner; ++inner) {
      visit(outer * view.size * view.inner + inner, outer * view.inner + inner);
    }
  }
}

}  // namespace

Tensor Evaluate(const Softmax& op, Operands operands, const Shape&) {
  FloatTensor y = Float(operands[0]);
  const AxisView view = Around(y.shape, op.axis);
  std::vector<double> powers(static_cast<size_t>(view.size));
  ForEachLine(view, [&](int64_t first, int64_t) {
    float* line = y.data.data() + first;
    float largest = line[0];
    for (int64_t i = 1; i < view.size; ++i) largest = std::max(largest, line[i * view.inner]);
    double sum = 0;
    for (int64_t i = 0; i < view.size; ++i) {
      powers[i] = std::exp(double{line[i * view.inner]} - largest);  // <= 1, so nothing overflows
      sum += powers[i];
    }
    for (int64_t i = 0; i < view.size; ++i) line[i * view.inner] = static_cast<float>(powers[i] / sum);
  });
  return y;
}

Tensor Evaluate(const ArgMax& op, Operands operands, const Shape& shape) {
  const FloatTensor& x = Float(operands[0]);
  const AxisView view = Around(x.shape, op.axis);
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
