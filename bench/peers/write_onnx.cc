#include "bench/peers/write_onnx.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "bench/peers/onnx_graph.h"

namespace tally::bench {
namespace {

constexpr int64_t kOffset = 128;             // for u8 against i8
constexpr double kRepeatedOperations = 4e8;  // in one run of a single layer: a few milliseconds

int64_t ZeroOf(const Grid& grid) { return grid.zero + kOffset; }

std::vector<int64_t> Both(int64_t v) { return {v, v}; }

// Results of the layers of a network; scale 1 stands for every activation, so that gains are scales of
// weights.
class CnnWriter {
 public:
  CnnWriter(OnnxGraph& g, const Cnn& net, bool channels_last)
      : g_(g), net_(net), channels_last_(channels_last) {}

  std::string Write(const std::string& x) {
    values_ = {x};
    for (size_t i = 0; i < net_.layers().size(); ++i) {
      values_.push_back(WriteLayer(net_.layers()[i], net_.tensors()[i + 1]));
    }
    return values_.back();
  }

 private:
  const std::string& Operand(const CnnLayer& layer, size_t i) const {
    return values_[static_cast<size_t>(layer.inputs[i])];
  }
  int64_t ZeroIn(const CnnLayer& layer, size_t i) const { return ZeroOf(net_.tensor(layer.inputs[i]).grid); }

  std::string WriteLayer(const CnnLayer& layer, const CnnTensor& to) {
    const std::string& x = Operand(layer, 0);
    if (layer.kind == CnnLayer::Kind::kMaxPool) {
      const int64_t pad = layer.shape.pad;
      return g_.Node("MaxPool", {x},
                     {{"kernel_shape", Both(layer.shape.kernel)},
                      {"strides", Both(layer.shape.stride)},
                      {"pads", {pad, pad, pad, pad}}});
    }
    const std::string one = g_.Scale(1), zero_in = g_.Zero(ZeroIn(layer, 0)), zero = g_.Zero(ZeroOf(to.grid));
    switch (layer.kind) {
      case CnnLayer::Kind::kConv: return WriteConv(layer, {x, one, zero_in}, {one, zero});
      case CnnLayer::Kind::kAdd:
        return g_.RuntimeNode("QLinearAdd", {x, g_.Scale(layer.gains[0]), zero_in, Operand(layer, 1),
                                             g_.Scale(layer.gains[1]), g_.Zero(ZeroIn(layer, 1)), one, zero});
      case CnnLayer::Kind::kMaxPool: break;  // above
      case CnnLayer::Kind::kGlobalAveragePool:
        return g_.RuntimeNode("QLinearGlobalAveragePool", {x, g_.Scale(layer.gains[0]), zero_in, one, zero},
                              {{"channels_last", {0}, true}});
      case CnnLayer::Kind::kDense: {
        const int64_t inputs = layer.shape.in_channels, units = layer.shape.out_channels;
        const std::string rows =
            g_.Node("Reshape", {x, g_.Integers(std::array<int64_t, 1>{2}, std::array{net_.batch(), inputs})});
        return WriteGemm(g_, rows, one, zero_in, layer.weights, inputs, units, layer.bias, layer.gains, one,
                         zero);
      }
    }
    return x;
  }

  std::string WriteConv(const CnnLayer& layer, std::vector<std::string> operands,
                        const std::vector<std::string>& result) {
    const ConvShape& s = layer.shape;
    operands.push_back(
        g_.Weights(std::array{s.out_channels, s.in_channels_of_group(), s.kernel, s.kernel}, layer.weights));
    operands.push_back(g_.Scales(layer.gains));
    operands.push_back(g_.SignedZeros(s.out_channels));
    operands.insert(operands.end(), result.begin(), result.end());
    operands.push_back(g_.Biases(layer.bias));
    std::vector<OnnxAttribute> attributes = {{"kernel_shape", Both(s.kernel)},
                                             {"strides", Both(s.stride)},
                                             {"pads", {s.pad, s.pad, s.pad, s.pad}},
                                             {"group", {s.groups}, true}};
    if (!channels_last_) return g_.Node("QLinearConv", std::move(operands), attributes);
    attributes.push_back({"channels_last", {1}, true});
    return g_.RuntimeNode("QLinearConv", std::move(operands), attributes);
  }

 public:
  static std::string WriteGemm(OnnxGraph& g, const std::string& x, const std::string& scale_x,
                               const std::string& zero_x, std::span<const int8_t> weights, int64_t inputs,
                               int64_t units, std::span<const int32_t> bias, std::span<const double> gains,
                               const std::string& scale_y, const std::string& zero_y) {
    std::vector<int8_t> columns(weights.size());  // [K, N], what every kernel of the runtime takes
    for (int64_t u = 0; u < units; ++u) {
      for (int64_t i = 0; i < inputs; ++i) {
        columns[static_cast<size_t>(i * units + u)] = weights[static_cast<size_t>(u * inputs + i)];
      }
    }
    return g.RuntimeNode("QGemm", {x, scale_x, zero_x, g.Weights(std::array{inputs, units}, columns),
                                   g.Scales(gains), g.SignedZeros(units), g.Biases(bias), scale_y, zero_y});
  }

 private:
  OnnxGraph& g_;
  const Cnn& net_;
  bool channels_last_;
  std::vector<std::string> values_;
};

std::string WriteDenseLayer(OnnxGraph& g, const std::string& x, const DenseLayer& dense, int64_t zero_y) {
  return CnnWriter::WriteGemm(g, x, g.Scale(1), g.Zero(dense.zero_x + kOffset), dense.weights, dense.inputs,
                              dense.units, dense.bias, dense.gains, g.Scale(1), g.Zero(zero_y));
}

// Projections, products and softmax on u8; layer norm and GELU in float, which the runtime has no integers
// for.
class BertWriter {
 public:
  BertWriter(OnnxGraph& g, const BertLayer& bert) : g_(g), bert_(bert) {}

  std::string Write(const std::string& x) {
    const std::string attended = WriteDenseLayer(g_, WriteAttention(x), bert_.output, kOffset);
    const std::string y = WriteNorm(WriteResidual(x, attended), bert_.attention_norm);
    const std::string inner = WriteGelu(WriteDenseLayer(g_, y, bert_.expand, kOffset));
    const std::string z = WriteDenseLayer(g_, inner, bert_.contract, kOffset);
    return WriteNorm(WriteResidual(y, z), bert_.result_norm);
  }

 private:
  static constexpr double kResidualScale = 2;  // codes of 8 bits hold both parts of a sum

  std::string WriteAttention(const std::string& x) {
    const std::string zero = g_.Zero(kOffset), one = g_.Scale(1);
    const std::string q = SplitHeads(WriteDenseLayer(g_, x, bert_.query, kOffset), {0, 2, 1, 3});
    const std::string k = SplitHeads(WriteDenseLayer(g_, x, bert_.key, kOffset), {0, 2, 3, 1});
    const std::string v = SplitHeads(WriteDenseLayer(g_, x, bert_.value, kOffset), {0, 2, 1, 3});
    const std::string logit_scale = g_.Scale(1.0 / 16), part = g_.Scale(1.0 / 256);
    const std::string logits = g_.Node("QLinearMatMul", {q, g_.Scale(bert_.logit_gain / (1 << kLogitBits)),
                                                         zero, k, one, zero, logit_scale, zero});
    const std::string none = g_.Zero(0);
    const std::string p = g_.RuntimeNode("QLinearSoftmax", {logits, logit_scale, zero, part, none},
                                         {{"axis", {-1}, true}, {"opset", {13}, true}});
    const std::string context = g_.Node(
        "QLinearMatMul", {p, part, none, v, g_.Scale(bert_.context_gain * (1 << 15)), zero, one, zero});
    const std::string back = g_.Node("Transpose", {context}, {{"perm", {0, 2, 1, 3}}});
    return Reshaped(back, {bert_.rows(), bert_.hidden});
  }

  std::string Reshaped(const std::string& x, const std::vector<int64_t>& dims) {
    return g_.Node("Reshape", {x, g_.Integers(std::array{static_cast<int64_t>(dims.size())}, dims)});
  }

  std::string SplitHeads(const std::string& x, const std::vector<int64_t>& order) {
    return g_.Node("Transpose", {Reshaped(x, {bert_.batch, bert_.sequence, bert_.heads, bert_.head_size()})},
                   {{"perm", order}});
  }

  std::string WriteResidual(const std::string& x, const std::string& projected) {
    const std::string zero = g_.Zero(kOffset);
    return g_.RuntimeNode("QLinearAdd", {x, g_.Scale(1), zero, projected, g_.Scale(bert_.residual_gain), zero,
                                         g_.Scale(kResidualScale), zero});
  }

  std::string WriteNorm(const std::string& x, const BertNorm& norm) {
    const std::string zero = g_.Zero(kOffset);
    const std::string real = g_.Node("DequantizeLinear", {x, g_.Scale(kResidualScale), zero});
    const std::string normal = g_.Node(
        "LayerNormalization", {real, g_.Floats(norm.gamma), g_.Floats(norm.beta)}, {{"axis", {-1}, true}});
    return g_.Node("QuantizeLinear", {normal, g_.Scale(1), zero});
  }

  std::string WriteGelu(const std::string& x) {
    const std::string real =
        g_.Node("DequantizeLinear", {x, g_.Scale(1.0 / (1 << kGeluInBits)), g_.Zero(kOffset)});
    return g_.Node("QuantizeLinear", {g_.RuntimeNode("Gelu", {real}), g_.Scale(1.0 / (1 << kGeluOutBits)),
                                      g_.Zero(ZeroOf(kGeluOut))});
  }

  OnnxGraph& g_;
  const BertLayer& bert_;
};

// y = write(x), or with repetitions the same several times in a Loop, whose body reads x of the graph around
// it.
template <typename WriteBody>
OnnxWork WriteModel(std::vector<int64_t> dims, int repetitions, const WriteBody& write) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::OperatorSetIdProto& runtime = *model.add_opset_import();
  runtime.set_domain("com.microsoft");
  runtime.set_version(1);
  OnnxGraph g(*model.mutable_graph());
  g.Input("x", onnx::TensorProto::UINT8, dims);
  if (repetitions == 1) {
    g.Output(write(g, "x"), onnx::TensorProto::UINT8);
  } else {
    onnx::GraphProto body;
    OnnxGraph inner(body, "body_");
    inner.Input("body_i", onnx::TensorProto::INT64, {});
    inner.Input("body_go", onnx::TensorProto::BOOL, {});
    onnx::ValueInfoProto& carried = *body.add_input();
    carried.set_name("body_y");
    carried.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::UINT8);
    inner.Output(inner.Node("Identity", {"body_go"}), onnx::TensorProto::BOOL);
    inner.Output(write(inner, "x"), onnx::TensorProto::UINT8);
    onnx::TensorProto& go = *model.mutable_graph()->add_initializer();
    go.set_name("go");
    go.set_data_type(onnx::TensorProto::BOOL);
    go.add_int32_data(1);
    const std::string y =
        g.Node("Loop", {g.Integers({}, std::array<int64_t, 1>{repetitions}), "go", g.Zero(0)});
    onnx::AttributeProto& attribute =
        *model.mutable_graph()->mutable_node(model.graph().node_size() - 1)->add_attribute();
    attribute.set_name("body");
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = std::move(body);
    g.Output(y, onnx::TensorProto::UINT8);
  }
  // The last name is that of the result; callers know it as y.
  const std::string result = model.graph().output(0).name();
  for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node()) {
    if (node.output(0) == result) node.set_output(0, "y");
  }
  model.mutable_graph()->mutable_output(0)->set_name("y");
  return {model.SerializeAsString(), std::move(dims), repetitions};
}

int RepetitionsOf(const Work& work) {
  if (work.network) return 1;
  const double operations = 2 * static_cast<double>(work.multiply_accumulates);
  return static_cast<int>(std::clamp(kRepeatedOperations / operations, 1.0, 200.0));
}

}  // namespace

absl::StatusOr<OnnxWork> WriteOnnx(const Work& work) {
  const int repetitions = RepetitionsOf(work);
  if (const auto* net = std::get_if<Cnn>(&work.topology)) {
    const CnnTensor& image = net->tensor(0);
    const bool channels_last = !work.network;
    std::vector<int64_t> dims = {net->batch(), image.channels, image.height, image.width};
    if (channels_last) dims = {net->batch(), image.height, image.width, image.channels};
    return WriteModel(std::move(dims), repetitions, [&](OnnxGraph& g, const std::string& x) {
      return CnnWriter(g, *net, channels_last).Write(x);
    });
  }
  if (const auto* bert = std::get_if<BertLayer>(&work.topology)) {
    return WriteModel({bert->rows(), bert->hidden}, repetitions,
                      [&](OnnxGraph& g, const std::string& x) { return BertWriter(g, *bert).Write(x); });
  }
  if (const auto* layer = std::get_if<MatmulLayer>(&work.topology)) {
    return WriteModel(
        {layer->rows, layer->dense.inputs}, repetitions,
        [&](OnnxGraph& g, const std::string& x) { return WriteDenseLayer(g, x, layer->dense, kOffset); });
  }
  return absl::UnimplementedError("the peer has no model of this work");
}

}  // namespace tally::bench
