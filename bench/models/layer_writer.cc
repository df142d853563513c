#include "bench/models/layer_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "ops/linear/attrs.h"
#include "ops/rescale/attrs.h"
#include "quant/grid/fixed_multiplier.h"

namespace tally::bench {
namespace {

// Every accumulator of 32 bits leaves room for a multiplier of 31.
constexpr uint64_t kAccumulatorMagnitude = uint64_t{1} << 31;

// With the bits that the quantizer gives it.
quant::FixedMultiplier Normalized(double gain, const Grid& to) {
  const int bits = quant::MultiplierBitsOnto({.interval = {to.lo, to.hi}});
  return quant::ToFixedMultiplier(gain, kAccumulatorMagnitude - 1, bits).value();
}

}  // namespace

TensorType TypeOf(std::initializer_list<int64_t> dims, Interval interval) {
  return {Shape::Create(dims).value(), interval};
}

ValueId WriteWeights(ModuleBuilder& b, std::span<const int64_t> dims, std::span<const int8_t> values) {
  Tensor tensor(Shape::Create(dims).value(), Storage::kI8);
  std::memcpy(tensor.mutable_bytes().data(), values.data(), values.size());
  return b.Constant(tensor);
}

ValueId WriteIntegers(ModuleBuilder& b, std::span<const int64_t> values) {
  const Shape shape = Shape::Create({static_cast<int64_t>(values.size())}).value();
  return b.Constant(Tensor::FromValues(shape, values).value());
}

ValueId WriteRescale(ModuleBuilder& b, ValueId x, std::span<const double> gains, int64_t axis,
                     const Grid& to) {
  std::vector<int64_t> multipliers, shifts;
  for (const double gain : gains) {
    const quant::FixedMultiplier fixed = Normalized(gain, to);
    multipliers.push_back(fixed.multiplier);
    shifts.push_back(fixed.shift);
  }
  const ValueId m = WriteIntegers(b, multipliers);
  const ValueId bias = WriteIntegers(b, std::vector<int64_t>(gains.size(), 0));
  const ValueId s = WriteIntegers(b, shifts);
  return b.Op(Opcode::kRescale, {x, m, bias, s},
              RescaleAttrs{.axis = axis, .zero_out = to.zero, .lo = to.lo, .hi = to.hi});
}

ValueId WriteLincomb(ModuleBuilder& b, std::vector<ValueId> x, std::vector<int64_t> zeros,
                     std::span<const double> gains, const Grid& to) {
  // One shift for all: the largest multiplier is the normalized one.
  const int64_t shift = Normalized(*std::max_element(gains.begin(), gains.end()), to).shift;
  LincombAttrs attrs{.zero_points = std::move(zeros), .shift = shift};
  for (const double gain : gains) {
    attrs.multipliers.push_back(std::llround(std::ldexp(gain, static_cast<int>(shift))));
  }
  attrs.zero_out = to.zero;
  attrs.lo = to.lo;
  attrs.hi = to.hi;
  return b.Op(Opcode::kLincomb, std::move(x), attrs);
}

ValueId WriteConv(ModuleBuilder& b, ValueId x, const ConvLayer& layer, const Grid& to) {
  const ConvShape& s = layer.shape;
  const auto both = [](int64_t v) { return std::vector<int64_t>{v, v}; };
  const ValueId w = WriteWeights(b, std::array{s.out_channels, s.in_channels_of_group(), s.kernel, s.kernel},
                                 layer.weights);
  const ValueId bias = WriteIntegers(b, std::vector<int64_t>(layer.bias.begin(), layer.bias.end()));
  const ValueId sums = b.Op(Opcode::kConvolution, {x, w, bias},
                            ConvolutionAttrs{.stride = both(s.stride),
                                             .dilation = both(1),
                                             .pad_begin = both(s.pad),
                                             .pad_end = both(s.pad),
                                             .groups = s.groups,
                                             .zero_x = layer.zero_x});
  return WriteRescale(b, sums, layer.gains, 1, to);
}

double Spread(RandomSource& random) { return 0.6 + static_cast<double>(random.Uniform(0, 799)) / 1000; }

DenseLayer RandomDense(int64_t inputs, int64_t units, int64_t zero_x, double mean, double rms,
                       double deviation, RandomSource& random) {
  DenseLayer layer{.inputs = inputs,
                   .units = units,
                   .zero_x = zero_x,
                   .weights = random.Weights(units * inputs),
                   .bias = {},
                   .gains = {}};
  const double variance = rms * rms - mean * mean;
  for (int64_t u = 0; u < units; ++u) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < inputs; ++i) {
      const double w = layer.weights[static_cast<size_t>(u * inputs + i)];
      sum += w;
      squares += w * w;
    }
    layer.bias.push_back(static_cast<int32_t>(std::llround(-sum * mean)));
    layer.gains.push_back(deviation * Spread(random) / std::sqrt(std::max(squares * variance, 1.0)));
  }
  return layer;
}

ValueId WriteDense(ModuleBuilder& b, ValueId x, const DenseLayer& layer, const Grid& to) {
  // dense has no zero point: (x - zx) w = x w - zx w.
  std::vector<int64_t> bias(layer.bias.begin(), layer.bias.end());
  for (int64_t u = 0; u < layer.units; ++u) {
    for (int64_t i = 0; i < layer.inputs; ++i) {
      bias[static_cast<size_t>(u)] -= layer.zero_x * layer.weights[static_cast<size_t>(u * layer.inputs + i)];
    }
  }
  const ValueId w = WriteWeights(b, std::array{layer.units, layer.inputs}, layer.weights);
  const ValueId sums = b.Op(Opcode::kDense, {x, w, WriteIntegers(b, bias)});
  return WriteRescale(b, sums, layer.gains, 1, to);
}

}  // namespace tally::bench
