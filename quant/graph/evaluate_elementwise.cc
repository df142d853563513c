#include <algorithm>
#include <cmath>
#include <vector>

#include "quant/graph/broadcast_index.h"
#include "quant/graph/evaluate.h"

namespace tally::quant {

Tensor Evaluate(const Add&, Operands operands, const Shape& shape) {
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
Tensor Evaluate(const Relu&, Operands operands, const Shape&) {
  FloatTensor y = Float(operands[0]);
  for (float& element : y.data) element = element < 0 ? 0 : element;
  return y;
}

Tensor Evaluate(const Clip& op, Operands operands, const Shape&) {
  FloatTensor y = Float(operands[0]);
  for (float& element : y.data) element = element < op.low ? op.low : element > op.high ? op.high : element;
  return y;
}

Tensor Evaluate(const BatchNorm& op, Operands operands, const Shape&) {
  FloatTensor y = Float(operands[0]);
  const FloatTensor& scale = Float(operands[1]);
  const FloatTensor& bias = Float(operands[2]);
  const FloatTensor& mean = Float(operands[3]);
  const FloatTensor& variance = Float(operands[4]);
  const int64_t num_channels = y.shape[1];
  const int64_t plane_size = NumElements(y.shape) / (y.shape[0] * num_channels);
  float* element = y.data.data();
  for (int64_t plane = 0; plane < y.shape[0] * num_channels; ++plane) {
    const int64_t c = plane % num_channels;
    const double factor = scale.data[c] / std::sqrt(double{variance.data[c]} + op.epsilon);
    for (int64_t i = 0; i < plane_size; ++i, ++element) {
      *element = static_cast<float>((double{*element} - mean.data[c]) * factor + bias.data[c]);
    }
  }
  return y;
}

}  // namespace tally::quant
