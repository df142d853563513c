#include "bench/models/residual_networks.h"

#include <algorithm>

namespace tally::bench {
namespace {

constexpr int64_t kLeastChannels = 4;

int Bottleneck(Cnn& net, int x, int64_t inner, int64_t outer, int64_t stride) {
  int shortcut = x;
  if (stride != 1 || net.tensor(x).channels != outer) {
    shortcut = net.Conv(x, {.out_channels = outer, .stride = stride});
  }
  int y = net.Conv(x, {.out_channels = inner, .stride = stride, .activation = Activation::kRelu});
  y = net.Conv(y, {.out_channels = inner, .kernel = 3, .pad = 1, .activation = Activation::kRelu});
  y = net.Conv(y, {.out_channels = outer});
  return net.Add(shortcut, y, Activation::kRelu);
}

int InvertedResidual(Cnn& net, int x, int64_t factor, int64_t out_channels, int64_t stride) {
  int y = x;
  const int64_t channels = net.tensor(x).channels * factor;
  if (factor != 1) y = net.Conv(y, {.out_channels = channels, .activation = Activation::kRelu6});
  y = net.Conv(y, {.out_channels = channels,
                   .kernel = 3,
                   .stride = stride,
                   .pad = 1,
                   .groups = channels,
                   .activation = Activation::kRelu6});
  y = net.Conv(y, {.out_channels = out_channels});
  const bool residual = stride == 1 && net.tensor(x).channels == out_channels;
  return residual ? net.Add(x, y, Activation::kNone) : y;
}

}  // namespace

Cnn ResNet50(const ModelOptions& options) {
  Cnn net("resnet50", 50, options.batch, {3, options.image(), options.image()});
  const auto channels = [&](int64_t c) { return options.Scaled(c, kLeastChannels); };
  int x = net.Conv(
      0, {.out_channels = channels(64), .kernel = 7, .stride = 2, .pad = 3, .activation = Activation::kRelu});
  x = net.MaxPool(x, 3, 2, 1);
  struct Stage {
    int64_t blocks, inner, stride;
  };
  for (const Stage& stage : {Stage{3, 64, 1}, {4, 128, 2}, {6, 256, 2}, {3, 512, 2}}) {
    const int64_t inner = channels(stage.inner);
    for (int64_t i = 0; i < options.Scaled(stage.blocks, std::min<int64_t>(stage.blocks, 2)); ++i) {
      x = Bottleneck(net, x, inner, 4 * inner, i == 0 ? stage.stride : 1);
    }
  }
  x = net.GlobalAveragePool(x);
  net.Dense(x, channels(1000));
  return net;
}

Cnn MobileNetV2(const ModelOptions& options) {
  Cnn net("mobilenet_v2", 2, options.batch, {3, options.image(), options.image()});
  const auto channels = [&](int64_t c) { return options.Scaled(c, kLeastChannels); };
  int x = net.Conv(
      0,
      {.out_channels = channels(32), .kernel = 3, .stride = 2, .pad = 1, .activation = Activation::kRelu6});
  struct Stage {
    int64_t factor, channels, blocks, stride;
  };
  for (const Stage& stage : {Stage{1, 16, 1, 1},
                             {6, 24, 2, 2},
                             {6, 32, 3, 2},
                             {6, 64, 4, 2},
                             {6, 96, 3, 1},
                             {6, 160, 3, 2},
                             {6, 320, 1, 1}}) {
    for (int64_t i = 0; i < options.Scaled(stage.blocks, std::min<int64_t>(stage.blocks, 2)); ++i) {
      x = InvertedResidual(net, x, stage.factor, channels(stage.channels), i == 0 ? stage.stride : 1);
    }
  }
  x = net.Conv(x, {.out_channels = channels(1280), .activation = Activation::kRelu6});
  x = net.GlobalAveragePool(x);
  net.Dense(x, channels(1000));
  return net;
}

}  // namespace tally::bench
