#include <cmath>
#include <vector>

#include "quant/ops/elementwise/elementwise_ops.h"
#include "quant/tensor/broadcast_index.h"

namespace tally::quant {
namespace {

template <typename F>
Tensor Zip(Operands operands, const Shape& shape, F f) {
  const FloatTensor& a = Float(operands[0]);
  const FloatTensor& b = Float(operands[1]);
  FloatTensor y = ZeroTensor(shape);
  if (a.shape == b.shape) {
    for (size_t i = 0; i < y.data.size(); ++i) y.data[i] = f(a.data[i], b.data[i]);
    return y;
  }
  const std::vector<int64_t> a_index = BroadcastIndex(a.shape, shape);
  const std::vector<int64_t> b_index = BroadcastIndex(b.shape, shape);
  for (size_t i = 0; i < y.data.size(); ++i) y.data[i] = f(a.data[a_index[i]], b.data[b_index[i]]);
  return y;
}

}  // namespace

Tensor Add::Evaluate(Operands operands, const Shape& shape) const {
  return Zip(operands, shape, [](float a, float b) { return a + b; });
}

Tensor Sub::Evaluate(Operands operands, const Shape& shape) const {
  return Zip(operands, shape, [](float a, float b) { return a - b; });
}

Tensor Mul::Evaluate(Operands operands, const Shape& shape) const {
  return Zip(operands, shape, [](float a, float b) { return a * b; });
}

Tensor Div::Evaluate(Operands operands, const Shape& shape) const {
  return Zip(operands, shape, [](float a, float b) { return a / b; });
}

// The choices are written so that NaN passes through, for calibration to find and name.
Tensor Max::Evaluate(Operands operands, const Shape& shape) const {
  return Zip(operands, shape, [](float a, float b) { return a > b || std::isnan(a) ? a : b; });
}

Tensor Min::Evaluate(Operands operands, const Shape& shape) const {
  return Zip(operands, shape, [](float a, float b) { return a < b || std::isnan(a) ? a : b; });
}

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
