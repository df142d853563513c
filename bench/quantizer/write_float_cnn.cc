#include <array>
#include <vector>

#include "bench/quantizer/write_float_onnx.h"
#include "bench/quantizer/write_model.h"

namespace tally::bench {
namespace {

using Kind = CnnLayer::Kind;
using Attributes = std::vector<OnnxAttribute>;

// The real that one code of each tensor stands for, chosen so that additions and averages need no factor:
// those of convolutions take them.
std::vector<double> StepsOf(const Cnn& net) {
  std::vector<double> steps(net.tensors().size(), 1);
  const auto is_free = [&](int t) {
    return t > 0 && net.layers()[static_cast<size_t>(t) - 1].kind == Kind::kConv;
  };
  for (size_t i = 0; i < net.layers().size(); ++i) {
    const CnnLayer& layer = net.layers()[i];
    const auto step = [&](size_t k) -> double& { return steps[static_cast<size_t>(layer.inputs[k])]; };
    if (layer.kind == Kind::kMaxPool) steps[i + 1] = step(0);
    if (layer.kind == Kind::kGlobalAveragePool) steps[i + 1] = step(0) / layer.gains[0];
    if (layer.kind != Kind::kAdd) continue;
    // y = gain (a + b) in codes, a convolution at least on one side.
    is_free(layer.inputs[0]) ? step(0) = step(1) : step(1) = step(0);
    steps[i + 1] = step(0) / layer.gains[0];
  }
  return steps;
}

class CnnWriter {
 public:
  CnnWriter(const Cnn& net, onnx::GraphProto& graph) : net_(net), steps_(StepsOf(net)), g_(graph) {}

  void Write() {
    const CnnTensor& image = net_.tensor(0);
    g_.Input("image", onnx::TensorProto::FLOAT,
             std::array{net_.batch(), image.channels, image.height, image.width});
    values_.push_back("image");
    for (size_t i = 0; i < net_.layers().size(); ++i) {
      const CnnLayer& layer = net_.layers()[i];
      const double gain = steps_[i + 1] / steps_[static_cast<size_t>(layer.inputs[0])];
      values_.push_back(
          Activated(layer, net_.tensors()[i + 1], steps_[i + 1], WriteLayer(layer, gain, steps_[i + 1])));
    }
    g_.proto().mutable_node()->rbegin()->set_output(0, "result");
    g_.Output("result", onnx::TensorProto::FLOAT);
  }

 private:
  std::string Operand(const CnnLayer& layer, size_t i) const {
    return values_[static_cast<size_t>(layer.inputs[i])];
  }

  // `gain`: what a weight is to be multiplied with for the steps of x and y; `step` of y, for a bias.
  std::string WriteLayer(const CnnLayer& layer, double gain, double step) {
    const std::string x = Operand(layer, 0);
    switch (layer.kind) {
      case Kind::kConv: return WriteConv(layer, x, gain, step);
      case Kind::kAdd: return g_.Node("Add", {x, Operand(layer, 1)});
      case Kind::kMaxPool: return g_.Node("MaxPool", {x}, WindowOf(layer.shape));
      case Kind::kGlobalAveragePool: return g_.Node("GlobalAveragePool", {x});
      case Kind::kDense: {
        const std::string rows = g_.Node("Flatten", {x});
        const std::array dims = {layer.shape.out_channels, layer.shape.in_channels};
        return g_.Node("Gemm", {rows, Weights(layer, dims, gain), Bias(layer, step)},
                       {{"transB", {1}, true}});
      }
    }
    return x;
  }

  std::string WriteConv(const CnnLayer& layer, const std::string& x, double gain, double step) {
    const ConvShape& s = layer.shape;
    const std::array dims = {s.out_channels, s.in_channels / s.groups, s.kernel, s.kernel};
    Attributes attributes = WindowOf(s);
    attributes.push_back({"group", {s.groups}, true});
    return g_.Node("Conv", {x, Weights(layer, dims, gain), Bias(layer, step)}, attributes);
  }

  static Attributes WindowOf(const ConvShape& s) {
    return {{"kernel_shape", {s.kernel, s.kernel}},
            {"strides", {s.stride, s.stride}},
            {"pads", {s.pad, s.pad, s.pad, s.pad}}};
  }

  std::string Weights(const CnnLayer& layer, std::span<const int64_t> dims, double gain) {
    const size_t of_channel = layer.weights.size() / layer.gains.size();
    std::vector<float> values;
    for (size_t i = 0; i < layer.weights.size(); ++i)
      values.push_back(static_cast<float>(layer.weights[i] * layer.gains[i / of_channel] * gain));
    return g_.FloatWeights(dims, values);
  }

  std::string Bias(const CnnLayer& layer, double step) {
    std::vector<double> values;
    for (size_t c = 0; c < layer.bias.size(); ++c) values.push_back(layer.bias[c] * layer.gains[c] * step);
    return g_.Floats(values);
  }

  std::string Activated(const CnnLayer& layer, const CnnTensor& to, double step, const std::string& y) {
    switch (layer.activation) {
      case Activation::kNone: return y;
      case Activation::kRelu: return g_.Node("Relu", {y});
      case Activation::kRelu6:
        return g_.Node("Clip",
                       {y, g_.Scale(0), g_.Scale(static_cast<double>(to.grid.hi - to.grid.zero) * step)});
    }
    return y;
  }

  const Cnn& net_;
  const std::vector<double> steps_;  // by tensor
  OnnxGraph g_;
  std::vector<std::string> values_;
};

}  // namespace

std::string WriteFloatOnnx(const Cnn& net) { return WriteModel<CnnWriter>(net); }

}  // namespace tally::bench
