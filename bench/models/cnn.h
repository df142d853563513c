// A convolutional network of 8 bits as data, from which both a module and a peer's model are written.
//
//   Cnn net("net", /*seed=*/1, 1, {3, 224, 224});
//   const int x = net.Conv(0, {.out_channels = 64, .kernel = 7, .stride = 2, .pad = 3, .activation = kRelu});
//   const int y = net.Conv(x, {...});
//   net.Add(x, y, Activation::kNone);
//   Module module = CnnToModule(net);
//
// Weights are random. Their gains follow from estimates of mean and variance of each channel, as a folded
// batch norm would set them, so that activations fill their 8 bits at any depth and rarely saturate.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/models/layer_writer.h"
#include "bench/models/linear_shape.h"

namespace tally::bench {

enum class Activation { kNone, kRelu, kRelu6 };

// A tensor [batch, channels, height, width] of codes.
struct CnnTensor {
  int64_t channels = 1, height = 1, width = 1;
  Grid grid;
  std::vector<double> mean, variance;  // estimated for each channel, of code - zero
};

struct CnnLayer {
  enum class Kind { kConv, kAdd, kMaxPool, kGlobalAveragePool, kDense };

  Kind kind = Kind::kConv;
  std::vector<int> inputs;  // tensors
  Activation activation = Activation::kNone;
  ConvShape shape;              // kConv's; kernel, stride and pad of kMaxPool
  std::vector<int8_t> weights;  // for kConv and kDense: [OC, IC / groups, K, K]
  std::vector<int32_t> bias;    // added to the sum of (x - zero) * w
  std::vector<double> gains;    // for each channel; of kAdd for each operand; of kGlobalAveragePool one
};

struct ConvOptions {
  int64_t out_channels = 1;
  int64_t kernel = 1, stride = 1, pad = 0;
  int64_t groups = 1;
  Activation activation = Activation::kNone;
};

class Cnn {
 public:
  // Tensor 0 is the image, any codes around zero.
  Cnn(std::string name, uint64_t seed, int64_t batch, std::array<int64_t, 3> image);

  // Each returns the tensor that the new layer makes.
  int Conv(int x, const ConvOptions& options);
  int Add(int a, int b, Activation activation);
  int MaxPool(int x, int64_t kernel, int64_t stride, int64_t pad);
  int GlobalAveragePool(int x);
  int Dense(int x, int64_t units);  // for a tensor for one pixel

  const std::string& name() const { return name_; }
  int64_t batch() const { return batch_; }
  const std::vector<CnnLayer>& layers() const { return layers_; }     // layer i makes tensor i + 1
  const std::vector<CnnTensor>& tensors() const { return tensors_; }  // the last is the result
  const CnnTensor& tensor(int t) const { return tensors_[static_cast<size_t>(t)]; }

 private:
  int Push(CnnLayer layer, CnnTensor result);

  std::string name_;
  RandomSource random_;
  int64_t batch_;
  std::vector<CnnLayer> layers_;
  std::vector<CnnTensor> tensors_;
};

// The multiply-accumulates of all convolutions and products.
int64_t MultiplyAccumulates(const Cnn& net);

// With `channels_last` the parameter and the result are [N, H, W, C], the layout of convolution kernels: for
// single layers, whose time would else be that of turning their edges around.
Module CnnToModule(const Cnn& net, bool channels_last = false);

}  // namespace tally::bench
