#include "bench/cvm/cnn_to_cvm.h"

#include <cmath>

#include "bench/models/moments.h"

namespace tally::bench {
namespace {

using Kind = CnnLayer::Kind;

constexpr int kBits = 8;

// A tensor of the graph, and what its channels are estimated to hold.
struct Estimated {
  int entry = 0;
  std::vector<Moment> channels;
};

double RootMeanSquare(const std::vector<Moment>& channels) {
  double sum = 0;
  for (const Moment& c : channels) sum += c.mean * c.mean + c.variance;
  return std::sqrt(sum / static_cast<double>(channels.size()));
}

std::string Pair(int64_t v) { return "(" + std::to_string(v) + ", " + std::to_string(v) + ")"; }

class Writer {
 public:
  explicit Writer(const Cnn& net) : net_(net), graph_(DimsOf(net.tensor(0))) {
    // Codes spread evenly over 255 values around zero.
    const Moment even = {0, 255.0 * 255.0 / 12};
    tensors_.push_back(
        {graph_.data(), std::vector<Moment>(static_cast<size_t>(net.tensor(0).channels), even)});
  }

  CvmModel Write() && {
    for (size_t i = 0; i < net_.layers().size(); ++i) {
      tensors_.push_back(Write(net_.layers()[i], DimsOf(net_.tensors()[i + 1])));
    }
    return std::move(graph_).Finish(tensors_.back().entry);
  }

 private:
  Dims DimsOf(const CnnTensor& t) const { return {net_.batch(), t.channels, t.height, t.width}; }
  const Estimated& In(const CnnLayer& layer, size_t i = 0) const {
    return tensors_[static_cast<size_t>(layer.inputs[i])];
  }

  Estimated Write(const CnnLayer& layer, const Dims& dims) {
    switch (layer.kind) {
      case Kind::kConv: {
        const ConvShape& s = layer.shape;
        return WriteSums(layer, "conv2d",
                         {{"channels", std::to_string(s.out_channels)},
                          {"kernel_size", Pair(s.kernel)},
                          {"strides", Pair(s.stride)},
                          {"padding", Pair(s.pad)},
                          {"groups", std::to_string(s.groups)},
                          {"use_bias", "True"}},
                         {s.out_channels, s.in_channels_of_group(), s.kernel, s.kernel}, dims);
      }
      case Kind::kDense: {
        const ConvShape& s = layer.shape;
        return WriteSums(layer, "dense", {{"units", std::to_string(s.out_channels)}, {"use_bias", "True"}},
                         {s.out_channels, s.in_channels}, {dims[0], dims[1]});
      }
      case Kind::kAdd: return WriteAdd(layer, dims);
      case Kind::kMaxPool: return WriteMaxPool(layer, dims);
      case Kind::kGlobalAveragePool: return WriteGlobalPool(layer, dims);
    }
    return {};
  }

  // Weighted sums, each around zero by its bias.
  Estimated WriteSums(const CnnLayer& layer, const char* op, CvmAttributes attributes,
                      const Dims& weights_dims, const Dims& dims) {
    const Estimated& x = In(layer);
    std::vector<double> mean, variance;
    for (const Moment& c : x.channels) {
      mean.push_back(c.mean);
      variance.push_back(c.variance);
    }
    std::vector<int32_t> bias;
    std::vector<Moment> sums;
    for (int64_t oc = 0; oc < layer.shape.out_channels; ++oc) {
      const Moment sum = MomentOfSums(layer.shape, layer.weights, oc, mean, variance);
      bias.push_back(static_cast<int32_t>(std::llround(-sum.mean)));
      sums.push_back({0, sum.variance});
    }
    const std::string number = std::to_string(tensors_.size());
    const int w = graph_.Weights("weight" + number, weights_dims, layer.weights);
    const int b = graph_.Integers("bias" + number, {layer.shape.out_channels}, bias);
    const int y = graph_.Operator(op, {x.entry, w, b}, std::move(attributes), dims);
    return Activate(layer.activation, Requantise({y, std::move(sums)}, 1, dims), dims);
  }

  Estimated WriteAdd(const CnnLayer& layer, const Dims& dims) {
    const Estimated& x = In(layer, 0);
    const Estimated& y = In(layer, 1);
    Estimated sum = {graph_.Operator("elemwise_add", {x.entry, y.entry}, {}, dims), {}};
    for (size_t c = 0; c < x.channels.size(); ++c) {
      sum.channels.push_back(
          {x.channels[c].mean + y.channels[c].mean, x.channels[c].variance + y.channels[c].variance});
    }
    return Activate(layer.activation, Requantise(std::move(sum), 0, dims), dims);
  }

  Estimated WriteMaxPool(const CnnLayer& layer, const Dims& dims) {
    const ConvShape& s = layer.shape;
    Estimated y = {
        graph_.Operator(
            "max_pool2d", {In(layer).entry},
            {{"pool_size", Pair(s.kernel)}, {"strides", Pair(s.stride)}, {"padding", Pair(s.pad)}}, dims),
        {}};
    for (const Moment& c : In(layer).channels) y.channels.push_back(GreatestOf9(c));
    return y;
  }

  Estimated WriteGlobalPool(const CnnLayer& layer, const Dims& dims) {
    const CnnTensor& in = net_.tensor(layer.inputs[0]);
    const auto pixels = static_cast<double>(in.height * in.width);
    const Dims rows = {dims[0], dims[1]};
    Estimated sum = {
        graph_.Operator("sum", {In(layer).entry}, {{"axis", "(2, 3)"}, {"keepdims", "False"}}, rows), {}};
    for (const Moment& c : In(layer).channels) {
      sum.channels.push_back(
          {pixels * c.mean, pixels * pixels * c.variance / 4});  // pixels depend on each other
    }
    return Requantise(std::move(sum), 1, rows);
  }

  // To 8 bits: the least shift, of at least `least` bits, after which 3 times the root mean square is in range.
  Estimated Requantise(Estimated x, int least, const Dims& dims) {
    const double range = (1 << (kBits - 1)) - 1;
    int shift = least;
    while (3 * RootMeanSquare(x.channels) > range * std::ldexp(1.0, shift)) ++shift;
    CvmAttributes attributes = {{"precision", std::to_string(kBits)}, {"is_sign", "True"}};
    if (shift > 0) attributes.emplace_back("shift_bit", std::to_string(shift));
    x.entry =
        graph_.Operator(shift > 0 ? "cvm_right_shift" : "cvm_clip", {x.entry}, std::move(attributes), dims);
    for (Moment& c : x.channels) c = {std::ldexp(c.mean, -shift), std::ldexp(c.variance, -2 * shift)};
    return x;
  }

  Estimated Activate(Activation activation, Estimated x, const Dims& dims) {
    if (activation == Activation::kNone) return x;
    x.entry = graph_.Operator("relu", {x.entry}, {}, dims);
    for (Moment& c : x.channels) c = Rectified(c);
    return x;
  }

  const Cnn& net_;
  GraphWriter graph_;
  std::vector<Estimated> tensors_;  // as in net_
};

}  // namespace

CvmModel CnnToCvm(const Cnn& net) { return Writer(net).Write(); }

}  // namespace tally::bench
