#include "bench/cvm/cnn_to_cvm.h"

#include <cmath>

#include "base/status_macros.h"
#include "bench/models/moments.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/rescale/attrs.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

using Kind = CnnLayer::Kind;

constexpr int kBits = 8;
constexpr int64_t kRange = (1 << (kBits - 1)) - 1;

// A value, and what its channels are estimated to hold.
struct Estimated {
  ValueId value = 0;
  std::vector<Moment> channels;
};

double RootMeanSquare(const std::vector<Moment>& channels) {
  double sum = 0;
  for (const Moment& c : channels) sum += c.mean * c.mean + c.variance;
  return std::sqrt(sum / static_cast<double>(channels.size()));
}

class Writer {
 public:
  explicit Writer(const Cnn& net) : net_(net) {
    const CnnTensor& image = net.tensor(0);
    const ValueId data =
        b_.Param("data", TypeOf({net.batch(), image.channels, image.height, image.width}, {-kRange, kRange}));
    constexpr double kCodes = 2 * kRange + 1;  // spread evenly around zero
    tensors_.push_back(
        {data, std::vector<Moment>(static_cast<size_t>(image.channels), {0, kCodes * kCodes / 12})});
  }

  Module Write() && {
    for (const CnnLayer& layer : net_.layers()) tensors_.push_back(Write(layer));
    b_.Result("output", tensors_.back().value);
    return std::move(b_).Build();
  }

 private:
  const Estimated& In(const CnnLayer& layer, size_t i = 0) const {
    return tensors_[static_cast<size_t>(layer.inputs[i])];
  }

  Estimated Write(const CnnLayer& layer) {
    switch (layer.kind) {
      case Kind::kConv: return WriteConv(layer);
      case Kind::kDense: return WriteDense(layer);
      case Kind::kAdd: return WriteAdd(layer);
      case Kind::kMaxPool: return WriteMaxPool(layer);
      case Kind::kGlobalAveragePool: return WriteGlobalPool(layer);
    }
    return {};
  }

  Estimated WriteConv(const CnnLayer& layer) {
    const ConvShape& s = layer.shape;
    return WriteSums(
        layer, Opcode::kConv2d, {s.out_channels, s.in_channels_of_group(), s.kernel, s.kernel},
        Pack(Conv2dAttrs{.padding = {s.pad, s.pad}, .stride = {s.stride, s.stride}, .groups = s.groups}));
  }

  Estimated WriteDense(const CnnLayer& layer) {
    return WriteSums(layer, Opcode::kDense, {layer.shape.out_channels, layer.shape.in_channels}, {});
  }

  // GEMM, each around zero by its bias.
  Estimated WriteSums(const CnnLayer& layer, Opcode op, const std::vector<int64_t>& dims,
                      Attributes attributes) {
    const Estimated& x = In(layer);
    std::vector<double> mean, variance;
    for (const Moment& c : x.channels) {
      mean.push_back(c.mean);
      variance.push_back(c.variance);
    }
    std::vector<int64_t> bias;
    Estimated y;
    for (int64_t oc = 0; oc < layer.shape.out_channels; ++oc) {
      const Moment sum = MomentOfSums(layer.shape, layer.weights, oc, mean, variance);
      bias.push_back(std::llround(-sum.mean));
      y.channels.push_back({0, sum.variance});
    }
    const ValueId w = WriteWeights(b_, dims, layer.weights);
    y.value = b_.Emit(op, {x.value, w, WriteIntegers(b_, bias)}, std::move(attributes));
    return Activate(layer.activation, Requantise(std::move(y), 1));
  }

  Estimated WriteAdd(const CnnLayer& layer) {
    const Estimated& x = In(layer, 0);
    const Estimated& y = In(layer, 1);
    Estimated sum = {b_.Op(Opcode::kElemwiseAdd, {x.value, y.value}), {}};
    for (size_t c = 0; c < x.channels.size(); ++c) {
      sum.channels.push_back(
          {x.channels[c].mean + y.channels[c].mean, x.channels[c].variance + y.channels[c].variance});
    }
    return Activate(layer.activation, Requantise(std::move(sum), 0));
  }

  Estimated WriteMaxPool(const CnnLayer& layer) {
    const ConvShape& s = layer.shape;
    const MaxPool2dAttrs attrs = {
        .pool_size = {s.kernel, s.kernel}, .strides = {s.stride, s.stride}, .padding = {s.pad, s.pad}};
    Estimated y = {b_.Op(Opcode::kMaxPool2d, {In(layer).value}, attrs), {}};
    for (const Moment& c : In(layer).channels) y.channels.push_back(GreatestOf9(c));
    return y;
  }

  Estimated WriteGlobalPool(const CnnLayer& layer) {
    const CnnTensor& in = net_.tensor(layer.inputs[0]);
    const auto pixels = static_cast<double>(in.height * in.width);
    Estimated sum = {b_.Op(Opcode::kSum, {In(layer).value}, CvmReduceAttrs{.axis = {2, 3}}), {}};
    for (const Moment& c : In(layer).channels) {
      // Pixels depend on each other.
      sum.channels.push_back({pixels * c.mean, pixels * pixels * c.variance / 4});
    }
    return Requantise(std::move(sum), 1);
  }

  // To 8 bits: the least shift, of at least `least` bits, after which 3 times the root mean square is in
  // range.
  Estimated Requantise(Estimated x, int least) {
    int shift = least;
    while (3 * RootMeanSquare(x.channels) > kRange * std::ldexp(1.0, shift)) ++shift;
    x.value = shift == 0 ? b_.Op(Opcode::kCvmClip, {x.value}, CvmClipAttrs{.precision = kBits})
                         : b_.Op(Opcode::kCvmRightShift, {x.value},
                                 CvmShiftAttrs{.precision = kBits, .shift_bit = shift});
    for (Moment& c : x.channels) c = {std::ldexp(c.mean, -shift), std::ldexp(c.variance, -2 * shift)};
    return x;
  }

  Estimated Activate(Activation activation, Estimated x) {
    if (activation == Activation::kNone) return x;
    x.value = b_.Op(Opcode::kRelu, {x.value});
    for (Moment& c : x.channels) c = Rectified(c);
    return x;
  }

  const Cnn& net_;
  ModuleBuilder b_{Profile::kCvm};
  std::vector<Estimated> tensors_;  // as in net_
};

}  // namespace

Module CnnToCvm(const Cnn& net) { return Writer(net).Write(); }

absl::StatusOr<cvm::ModelFiles> CnnToCvmFiles(const Cnn& net) {
  ASSIGN_OR_RETURN(const ValidModule module, Validate(CnnToCvm(net)));
  return cvm::ExportCvm(module);
}

}  // namespace tally::bench
