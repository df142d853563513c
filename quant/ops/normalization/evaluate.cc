#include <algorithm>
#include <cmath>
#include <vector>

#include "quant/ops/lines.h"
#include "quant/ops/normalization/normalization_ops.h"

namespace tally::quant {
namespace {

// y = f(d, exp(d), the sum of exp(d)) along each line, with d the distance from its largest element.
template <typename Function>
FloatTensor OverPowers(FloatTensor y, int64_t axis, Function f) {
  const AxisView view = Around(y.shape, axis);
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
    for (int64_t i = 0; i < view.size; ++i) {
      float& element = line[i * view.inner];
      element = static_cast<float>(f(double{element} - largest, powers[i], sum));
    }
  });
  return y;
}

}  // namespace

Tensor BatchNorm::Evaluate(Operands operands, const Shape&) const {
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
    const double factor = scale.data[c] / std::sqrt(double{variance.data[c]} + epsilon);
    for (int64_t i = 0; i < plane_size; ++i, ++element) {
      *element = static_cast<float>((double{*element} - mean.data[c]) * factor + bias.data[c]);
    }
  }
  return y;
}

Tensor Softmax::Evaluate(Operands operands, const Shape&) const {
  return OverPowers(Float(operands[0]), axis, [](double, double power, double sum) { return power / sum; });
}

Tensor LogSoftmax::Evaluate(Operands operands, const Shape&) const {
  return OverPowers(Float(operands[0]), axis,
                    [](double distance, double, double sum) { return distance - std::log(sum); });
}

Tensor LocalResponseNorm::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  const AxisView view = Around(shape, 1);
  const int64_t before = (size - 1) / 2, after = size / 2;
  FloatTensor y = ZeroTensor(shape);
  ForEachLine(view, [&](int64_t first, int64_t) {
    const float* line = x.data.data() + first;
    for (int64_t c = 0; c < view.size; ++c) {
      double sum = 0;
      for (int64_t i = std::max<int64_t>(c - before, 0); i <= std::min(c + after, view.size - 1); ++i) {
        sum += double{line[i * view.inner]} * line[i * view.inner];
      }
      const double root =
          std::pow(double{bias} + double{alpha} / static_cast<double>(size) * sum, double{beta});
      y.data[first + c * view.inner] = static_cast<float>(line[c * view.inner] / root);
    }
  });
  return y;
}

}  // namespace tally::quant
