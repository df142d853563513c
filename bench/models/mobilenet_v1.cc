#include "bench/models/mobilenet_v1.h"

namespace tally::bench {

Cnn MobileNetV1(const ModelOptions& options) {
  constexpr int64_t kLeastChannels = 4;
  Cnn net("mobilenet_v1", 1, options.batch, {3, options.image(), options.image()});
  const auto conv = [&](int x, int64_t out_channels, int64_t kernel, int64_t stride, int64_t groups) {
    return net.Conv(x, {.out_channels = out_channels,
                        .kernel = kernel,
                        .stride = stride,
                        .pad = kernel / 2,
                        .groups = groups,
                        .activation = Activation::kRelu});
  };
  int x = conv(0, options.Scaled(32, kLeastChannels), 3, 2, 1);
  struct Stage {
    int64_t channels, blocks, stride;
  };
  for (const Stage& stage : {Stage{64, 1, 1}, {128, 2, 2}, {256, 2, 2}, {512, 6, 2}, {1024, 2, 2}}) {
    for (int64_t i = 0; i < options.Scaled(stage.blocks, 1); ++i) {
      const int64_t in = net.tensor(x).channels;
      x = conv(x, in, 3, i == 0 ? stage.stride : 1, in);
      x = conv(x, options.Scaled(stage.channels, kLeastChannels), 1, 1, 1);
    }
  }
  x = net.GlobalAveragePool(x);
  net.Dense(x, options.Scaled(1000, kLeastChannels));
  return net;
}

}  // namespace tally::bench
