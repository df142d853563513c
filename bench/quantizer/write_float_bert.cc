#include <array>
#include <cmath>
#include <vector>

#include "bench/quantizer/write_float_onnx.h"
#include "bench/quantizer/write_model.h"

namespace tally::bench {
namespace {

// The gains of products of attention and of parts of a residual are in the weights before and after them.
class BertWriter {
 public:
  BertWriter(const BertLayer& bert, onnx::GraphProto& graph) : bert_(bert), g_(graph) {}

  void Write() {
    g_.Input("x", onnx::TensorProto::FLOAT, std::array{bert_.rows(), bert_.hidden});
    const double context = std::ldexp(bert_.context_gain, 15);
    const double gelu_in = std::ldexp(1, -kGeluInBits), gelu_out = std::ldexp(1, kGeluOutBits);
    const std::string attended =
        WriteDense(WriteAttention("x"), bert_.output, context * bert_.residual_gain, bert_.residual_gain);
    const std::string y = WriteNorm(g_.Node("Add", {"x", attended}), bert_.attention_norm);
    const std::string inner = g_.Node("Gelu", {WriteDense(y, bert_.expand, gelu_in, gelu_in)});
    const std::string z =
        WriteDense(inner, bert_.contract, gelu_out * bert_.residual_gain, bert_.residual_gain);
    WriteNorm(g_.Node("Add", {y, z}), bert_.result_norm);
    g_.proto().mutable_node()->rbegin()->set_output(0, "result");
    g_.Output("result", onnx::TensorProto::FLOAT);
  }

 private:
  std::string WriteAttention(const std::string& x) {
    const std::string q = SplitHeads(WriteDense(x, bert_.query, 1, 1), {0, 2, 1, 3});
    const std::string k = SplitHeads(WriteDense(x, bert_.key, 1, 1), {0, 2, 3, 1});
    const std::string v = SplitHeads(WriteDense(x, bert_.value, 1, 1), {0, 2, 1, 3});
    const std::string factor = g_.Scale(std::ldexp(bert_.logit_gain, -kLogitBits));
    const std::string logits = g_.Node("Mul", {g_.Node("MatMul", {q, k}), factor});
    const std::string p = g_.Node("Softmax", {logits}, {{"axis", {-1}, true}});
    const std::string joined = g_.Node("Transpose", {g_.Node("MatMul", {p, v})}, {{"perm", {0, 2, 1, 3}}});
    return Reshaped(joined, {bert_.rows(), bert_.hidden});
  }

  std::string Reshaped(const std::string& x, const std::vector<int64_t>& dims) {
    return g_.Node("Reshape", {x, g_.Integers(std::array{std::ssize(dims)}, dims)});
  }

  std::string SplitHeads(const std::string& x, const std::vector<int64_t>& order) {
    return g_.Node("Transpose", {Reshaped(x, {bert_.batch, bert_.sequence, bert_.heads, bert_.head_size()})},
                   {{"perm", order}});
  }

  // Each weight is multiplied with the gain of its unit and `gain`, each bias with the former and `step`.
  std::string WriteDense(const std::string& x, const DenseLayer& dense, double gain, double step) {
    std::vector<float> columns(dense.weights.size());
    std::vector<double> bias;
    for (int64_t u = 0; u < dense.units; ++u) {
      const double of_unit = dense.gains[static_cast<size_t>(u)];
      for (int64_t i = 0; i < dense.inputs; ++i) {
        columns[static_cast<size_t>(i * dense.units + u)] =
            static_cast<float>(dense.weights[static_cast<size_t>(u * dense.inputs + i)] * of_unit * gain);
      }
      bias.push_back(dense.bias[static_cast<size_t>(u)] * of_unit * step);
    }
    const std::string weights = g_.FloatWeights(std::array{dense.inputs, dense.units}, columns);
    return g_.Node("Add", {g_.Node("MatMul", {x, weights}), g_.Floats(bias)});
  }

  std::string WriteNorm(const std::string& x, const BertNorm& norm) {
    return g_.Node("LayerNormalization", {x, g_.Floats(norm.gamma), g_.Floats(norm.beta)},
                   {{"axis", {-1}, true}});
  }

  const BertLayer& bert_;
  OnnxGraph g_;
};

}  // namespace

std::string WriteFloatOnnx(const BertLayer& bert) { return WriteModel<BertWriter>(bert); }

}  // namespace tally::bench
