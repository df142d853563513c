#include <vector>

#include "quant/graph/broadcast_index.h"
#include "quant/ops/elementwise/elementwise_ops.h"

namespace tally::quant {

Tensor Add::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& a = Float(operands[0]);
  const FloatTensor& b = Float(operands[1]);
  FloatTensor y = ZeroTensor(shape);
  if (a.shape == b.shape) {
    for (size_t i = 0; i < y.data.size(); ++i) y.data[i] = a.data[i] + b.data[i];
    return y;
  }
  const std::vector<int64_t> a_index = BroadcastIndex(a.shape, shape);
  const std::vector<int64_t> b_index = BroadcastIndex(b.shape, shape);
  for (size_t i = 0; i < y.data.size(); ++i) y.data[i] = a.data[a_index[i]] + b.data[b_index[i]];
  return y;
}

// Written so that NaN passes through, for calibration to find and name.
Tensor Relu::Evaluate(Operands operands, const Shape&) const {
  FloatTensor y = Float(operands[0]);
  for (float& element : y.data) element = element < 0 ? 0 : element;
  return y;
}

Tensor Clip::Evaluate(Operands operands, const Shape&) const {
  FloatTensor y = Float(operands[0]);
  for (float& element : y.data) element = element < low ? low : element > high ? high : element;
  return y;
}

}  // namespace tally::quant
