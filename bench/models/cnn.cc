#include "bench/models/cnn.h"

#include <algorithm>
#include <cmath>

#include "bench/models/moments.h"

namespace tally::bench {
namespace {

using Kind = CnnLayer::Kind;

// The deviation of the codes before the activation: 4 deviations fill the grid, or 6 where the activation
// cuts there.
double DeviationFor(Activation activation) {
  switch (activation) {
    case Activation::kNone: return 127.0 / 4;
    case Activation::kRelu: return 255.0 / 4;
    case Activation::kRelu6: return 255.0 / 6;
  }
  return 1;
}

Grid GridFor(Activation activation) { return activation == Activation::kNone ? kSigned8 : kUnsigned8; }

// The moments of a distribution after `activation`.
Moment After(Activation activation, const Moment& in) {
  return activation == Activation::kNone ? in : Rectified(in);
}

void Append(const Moment& channel, CnnTensor& tensor) {
  tensor.mean.push_back(channel.mean);
  tensor.variance.push_back(channel.variance);
}

}  // namespace

Cnn::Cnn(std::string name, uint64_t seed, int64_t batch, std::array<int64_t, 3> image)
    : name_(std::move(name)), random_(seed), batch_(batch) {
  const auto channels = static_cast<size_t>(image[0]);
  // Codes spread evenly over 256 values have a variance of 256^2 / 12.
  tensors_.push_back({image[0], image[1], image[2], kSigned8, std::vector<double>(channels, 0),
                      std::vector<double>(channels, 65536.0 / 12)});
}

int Cnn::Push(CnnLayer layer, CnnTensor result) {
  layers_.push_back(std::move(layer));
  tensors_.push_back(std::move(result));
  return static_cast<int>(layers_.size());
}

int Cnn::Conv(int x, const ConvOptions& options) {
  const CnnTensor in = tensor(x);
  const ConvShape shape{.batch = batch_,
                        .in_channels = in.channels,
                        .out_channels = options.out_channels,
                        .height = in.height,
                        .width = in.width,
                        .kernel = options.kernel,
                        .stride = options.stride,
                        .pad = options.pad,
                        .groups = options.groups};
  CnnLayer layer{.kind = Kind::kConv,
                 .inputs = {x},
                 .activation = options.activation,
                 .shape = shape,
                 .weights = {},
                 .bias = {},
                 .gains = {}};
  layer.weights = random_.Weights(shape.out_channels * shape.taps());
  CnnTensor out{.channels = shape.out_channels,
                .height = shape.out_height(),
                .width = shape.out_width(),
                .grid = GridFor(options.activation),
                .mean = {},
                .variance = {}};
  for (int64_t oc = 0; oc < shape.out_channels; ++oc) {
    const Moment sums = MomentOfSums(shape, layer.weights, oc, in.mean, in.variance);
    const double deviation = DeviationFor(options.activation) * Spread(random_);
    layer.bias.push_back(static_cast<int32_t>(std::llround(-sums.mean)));
    layer.gains.push_back(deviation / std::sqrt(std::max(sums.variance, 1.0)));
    Append(After(options.activation, {0, deviation * deviation}), out);
  }
  return Push(std::move(layer), std::move(out));
}

int Cnn::Add(int a, int b, Activation activation) {
  const CnnTensor x = tensor(a), y = tensor(b);
  double variance = 0;
  for (size_t c = 0; c < x.mean.size(); ++c)
    variance += x.variance[c] + y.variance[c] + x.mean[c] * x.mean[c];
  const double gain = DeviationFor(activation) / std::sqrt(variance / static_cast<double>(x.channels));
  CnnTensor out{x.channels, x.height, x.width, GridFor(activation), {}, {}};
  for (size_t c = 0; c < x.mean.size(); ++c) {
    Append(After(activation, {gain * (x.mean[c] + y.mean[c]), gain * gain * (x.variance[c] + y.variance[c])}),
           out);
  }
  return Push({.kind = Kind::kAdd,
               .inputs = {a, b},
               .activation = activation,
               .shape = {},
               .weights = {},
               .bias = {},
               .gains = {gain, gain}},
              std::move(out));
}

int Cnn::MaxPool(int x, int64_t kernel, int64_t stride, int64_t pad) {
  CnnTensor out = tensor(x);
  const ConvShape shape{.batch = batch_,
                        .in_channels = out.channels,
                        .out_channels = out.channels,
                        .height = out.height,
                        .width = out.width,
                        .kernel = kernel,
                        .stride = stride,
                        .pad = pad,
                        .groups = out.channels};
  out.height = shape.out_height();
  out.width = shape.out_width();
  for (size_t c = 0; c < out.mean.size(); ++c) {
    const Moment greatest = GreatestOf9({out.mean[c], out.variance[c]});
    out.mean[c] = greatest.mean;
    out.variance[c] = greatest.variance;
  }
  return Push({.kind = Kind::kMaxPool, .inputs = {x}, .shape = shape, .weights = {}, .bias = {}, .gains = {}},
              std::move(out));
}

int Cnn::GlobalAveragePool(int x) {
  constexpr double kGain = 2;  // averages span less than what they average
  CnnTensor out = tensor(x);
  out.height = out.width = 1;
  for (size_t c = 0; c < out.mean.size(); ++c) {
    out.mean[c] *= kGain;
    out.variance[c] *= kGain * kGain / 4;  // pixels depend on each other
  }
  return Push({.kind = Kind::kGlobalAveragePool,
               .inputs = {x},
               .shape = {},
               .weights = {},
               .bias = {},
               .gains = {kGain}},
              std::move(out));
}

int Cnn::Dense(int x, int64_t units) {
  const int result = Conv(x, {.out_channels = units});
  layers_.back().kind = Kind::kDense;
  return result;
}

int64_t MultiplyAccumulates(const Cnn& net) {
  int64_t sum = 0;
  for (const CnnLayer& layer : net.layers()) {
    const bool linear = layer.kind == CnnLayer::Kind::kConv || layer.kind == CnnLayer::Kind::kDense;
    if (linear) sum += layer.shape.multiply_accumulates();
  }
  return sum;
}

}  // namespace tally::bench
