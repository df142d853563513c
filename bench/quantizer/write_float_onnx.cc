#include "bench/quantizer/write_float_onnx.h"

#include <array>
#include <vector>

#include "bench/peers/onnx_graph.h"

namespace tally::bench {
namespace {

using Kind = CnnLayer::Kind;
using Attributes = std::vector<OnnxAttribute>;

class Writer {
 public:
  Writer(const Cnn& net, onnx::GraphProto& graph) : net_(net), g_(graph) {}

  void Write() {
    const CnnTensor& image = net_.tensor(0);
    g_.Input("image", onnx::TensorProto::FLOAT,
             std::array{net_.batch(), image.channels, image.height, image.width});
    values_.push_back("image");
    for (size_t i = 0; i < net_.layers().size(); ++i) {
      const CnnLayer& layer = net_.layers()[i];
      values_.push_back(Activated(layer, net_.tensors()[i + 1], WriteLayer(layer)));
    }
    g_.proto().mutable_node()->rbegin()->set_output(0, "result");
    g_.Output("result", onnx::TensorProto::FLOAT);
  }

 private:
  std::string Operand(const CnnLayer& layer, size_t i) const {
    return values_[static_cast<size_t>(layer.inputs[i])];
  }

  std::string WriteLayer(const CnnLayer& layer) {
    const std::string x = Operand(layer, 0);
    switch (layer.kind) {
      case Kind::kConv: return WriteConv(layer, x);
      case Kind::kAdd:
        return g_.Node("Add", {Scaled(x, layer.gains[0]), Scaled(Operand(layer, 1), layer.gains[1])});
      case Kind::kMaxPool: return g_.Node("MaxPool", {x}, WindowOf(layer.shape));
      case Kind::kGlobalAveragePool: return Scaled(g_.Node("GlobalAveragePool", {x}), layer.gains[0]);
      case Kind::kDense: {
        const std::string rows = g_.Node("Flatten", {x});
        const std::array dims = {layer.shape.out_channels, layer.shape.in_channels};
        return g_.Node("Gemm", {rows, Weights(layer, dims), Bias(layer)}, {{"transB", {1}, true}});
      }
    }
    return x;
  }

  std::string WriteConv(const CnnLayer& layer, const std::string& x) {
    const ConvShape& s = layer.shape;
    const std::array dims = {s.out_channels, s.in_channels / s.groups, s.kernel, s.kernel};
    Attributes attributes = WindowOf(s);
    attributes.push_back({"group", {s.groups}, true});
    return g_.Node("Conv", {x, Weights(layer, dims), Bias(layer)}, attributes);
  }

  static Attributes WindowOf(const ConvShape& s) {
    return {{"kernel_shape", {s.kernel, s.kernel}},
            {"strides", {s.stride, s.stride}},
            {"pads", {s.pad, s.pad, s.pad, s.pad}}};
  }

  std::string Weights(const CnnLayer& layer, std::span<const int64_t> dims) {
    const size_t of_channel = layer.weights.size() / layer.gains.size();
    std::vector<float> values;
    for (size_t i = 0; i < layer.weights.size(); ++i)
      values.push_back(static_cast<float>(layer.weights[i] * layer.gains[i / of_channel]));
    return g_.FloatWeights(dims, values);
  }

  std::string Bias(const CnnLayer& layer) {
    std::vector<double> values;
    for (size_t c = 0; c < layer.bias.size(); ++c) values.push_back(layer.bias[c] * layer.gains[c]);
    return g_.Floats(values);
  }

  // A 1x1 convolution of each channel by itself would be a layer more; a constant factor is what exporters write.
  std::string Scaled(const std::string& x, double gain) {
    return gain == 1 ? x : g_.Node("Mul", {x, g_.Scale(gain)});
  }

  std::string Activated(const CnnLayer& layer, const CnnTensor& to, const std::string& y) {
    switch (layer.activation) {
      case Activation::kNone: return y;
      case Activation::kRelu: return g_.Node("Relu", {y});
      case Activation::kRelu6:
        return g_.Node("Clip", {y, g_.Scale(0), g_.Scale(static_cast<double>(to.grid.hi - to.grid.zero))});
    }
    return y;
  }

  const Cnn& net_;
  OnnxGraph g_;
  std::vector<std::string> values_;
};

}  // namespace

std::string WriteFloatOnnx(const Cnn& net) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  Writer(net, *model.mutable_graph()).Write();
  return model.SerializeAsString();
}

}  // namespace tally::bench
