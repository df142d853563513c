#include "bench/peers/write_float_onnx.h"

#include <algorithm>
#include <array>
#include <variant>

#include "absl/status/status.h"
#include "bench/peers/onnx_graph.h"

namespace tally::bench {
namespace {

std::vector<int64_t> Both(int64_t v) { return {v, v}; }

// Weights times their gains; activations have scale 1.
std::vector<float> Reals(const CnnLayer& layer) {
  const size_t per_unit = layer.weights.size() / layer.gains.size();
  std::vector<float> reals;
  for (size_t i = 0; i < layer.weights.size(); ++i) {
    reals.push_back(static_cast<float>(layer.weights[i] * layer.gains[i / per_unit]));
  }
  return reals;
}

std::vector<double> RealBiases(const CnnLayer& layer) {
  std::vector<double> reals;
  for (size_t i = 0; i < layer.bias.size(); ++i) reals.push_back(layer.bias[i] * layer.gains[i]);
  return reals;
}

std::string WriteLayer(OnnxGraph& g, const Cnn& net, const CnnLayer& layer,
                       const std::vector<std::string>& values) {
  const ConvShape& s = layer.shape;
  const std::string& x = values[static_cast<size_t>(layer.inputs[0])];
  const std::vector<int64_t> pads(4, s.pad);
  switch (layer.kind) {
    case CnnLayer::Kind::kMaxPool:
      return g.Node("MaxPool", {x},
                    {{"kernel_shape", Both(s.kernel)}, {"strides", Both(s.stride)}, {"pads", pads}});
    case CnnLayer::Kind::kAdd: return g.Node("Add", {x, values[static_cast<size_t>(layer.inputs[1])]});
    case CnnLayer::Kind::kGlobalAveragePool: return g.Node("GlobalAveragePool", {x});
    case CnnLayer::Kind::kConv: {
      const std::array dims = {s.out_channels, s.in_channels_of_group(), s.kernel, s.kernel};
      return g.Node("Conv", {x, g.FloatWeights(dims, Reals(layer)), g.Floats(RealBiases(layer))},
                    {{"kernel_shape", Both(s.kernel)},
                     {"strides", Both(s.stride)},
                     {"pads", pads},
                     {"group", {s.groups}, true}});
    }
    case CnnLayer::Kind::kDense: {
      const std::array shape = {net.batch(), s.in_channels}, dims = {s.out_channels, s.in_channels};
      const std::string rows = g.Node("Reshape", {x, g.Integers(std::array<int64_t, 1>{2}, shape)});
      return g.Node("Gemm", {rows, g.FloatWeights(dims, Reals(layer)), g.Floats(RealBiases(layer))},
                    {{"transB", {1}, true}});
    }
  }
  return x;
}

}  // namespace

absl::StatusOr<OnnxWork> WriteFloatOnnx(const Work& work) {
  const auto* net = std::get_if<Cnn>(&work.topology);
  if (net == nullptr) return absl::UnimplementedError("the peer has no float model of this work");
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  OnnxGraph g(*model.mutable_graph());
  const CnnTensor& image = net->tensor(0);
  std::vector<int64_t> dims = {net->batch(), image.channels, image.height, image.width};
  g.Input("x", onnx::TensorProto::FLOAT, dims);
  std::vector<std::string> values = {"x"};
  for (const CnnLayer& layer : net->layers()) {
    std::string y = WriteLayer(g, *net, layer, values);
    if (layer.activation != Activation::kNone) y = g.Node("Relu", {y});
    values.push_back(std::move(y));
  }
  g.Output(values.back(), onnx::TensorProto::FLOAT);
  return OnnxWork{model.SerializeAsString(), std::move(dims)};
}

}  // namespace tally::bench
