#include <algorithm>
#include <vector>

#include "quant/graph/broadcast_index.h"
#include "quant/graph/evaluate.h"

namespace tally::quant {

// y[m, n] = bias[n] + sum over k.
Tensor Evaluate(const Dense&, Operands operands, const Shape& shape) {
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
Tensor Evaluate(const MatMul&, Operands operands, const Shape& shape) {
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
      std::copy(sums.begin(), sums.end(), y.data.begin() + (static_cast<int64_t>(i) * num_m + m) * num_n);
    }
  }
  return y;
}

}  // namespace tally::quant
