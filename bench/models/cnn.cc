#include "bench/models/cnn.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tally::bench {
namespace {

using Kind = CnnLayer::Kind;

// Of the codes before the activation: 4 deviations fill the grid, or 6 where the activation cuts there.
double DeviationFor(Activation activation) {
  switch (activation) {
    case Activation::kNone: return 127.0 / 4;
    case Activation::kRelu: return 255.0 / 4;
    case Activation::kRelu6: return 255.0 / 6;
  }
  return 1;
}

Grid GridFor(Activation activation) { return activation == Activation::kNone ? kSigned8 : kUnsigned8; }

// Mean and variance of what `activation` leaves of a normal distribution around `mean`; a smooth guess in between the
// exact values for a mean of 0 and for one far above 0.
void Rectify(Activation activation, double& mean, double& variance) {
  if (activation == Activation::kNone) return;
  const double square = mean * mean;
  const double rest = variance / (variance + 4 * square);
  const double second_moment = square + variance - variance / 2 * rest;
  mean = std::sqrt(square + variance / (2 * std::numbers::pi));
  variance = second_moment - mean * mean;
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
  CnnLayer layer{.kind = Kind::kConv, .inputs = {x}, .shape = shape, .weights = {}, .bias = {}, .gains = {}};
  layer.weights = random_.Weights(shape.out_channels * shape.taps());
  CnnTensor out{.channels = shape.out_channels,
                .height = shape.out_height(),
                .width = shape.out_width(),
                .grid = GridFor(options.activation),
                .mean = {},
                .variance = {}};
  const int64_t channels = shape.in_channels_of_group(), taps = shape.kernel * shape.kernel;
  auto w = layer.weights.begin();
  for (int64_t oc = 0; oc < shape.out_channels; ++oc) {
    const int64_t group = oc / (shape.out_channels / shape.groups);
    double mean = 0, variance = 0;
    for (int64_t ic = 0; ic < channels; ++ic) {
      const auto c = static_cast<size_t>(group * channels + ic);
      for (int64_t tap = 0; tap < taps; ++tap, ++w) {
        mean += in.mean[c] * *w;
        variance += in.variance[c] * *w * *w;
      }
    }
    const double deviation = DeviationFor(options.activation) * Spread(random_);
    layer.bias.push_back(static_cast<int32_t>(std::llround(-mean)));
    layer.gains.push_back(deviation / std::sqrt(std::max(variance, 1.0)));
    double result_mean = 0, result_variance = deviation * deviation;
    Rectify(options.activation, result_mean, result_variance);
    out.mean.push_back(result_mean);
    out.variance.push_back(result_variance);
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
    double result_mean = gain * (x.mean[c] + y.mean[c]);
    double result_variance = gain * gain * (x.variance[c] + y.variance[c]);
    Rectify(activation, result_mean, result_variance);
    out.mean.push_back(result_mean);
    out.variance.push_back(result_variance);
  }
  return Push(
      {.kind = Kind::kAdd, .inputs = {a, b}, .shape = {}, .weights = {}, .bias = {}, .gains = {gain, gain}},
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
    // The greatest of 9 normal values lies 1.49 deviations up and varies by 0.6 of one.
    const double deviation = out.mean[c] * std::sqrt(2 * std::numbers::pi);
    out.mean[c] = 1.49 * deviation;
    out.variance[c] = 0.36 * deviation * deviation;
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

}  // namespace tally::bench
