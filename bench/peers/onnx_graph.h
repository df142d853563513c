// Writes an ONNX model node by node.
//
//   OnnxGraph g(*model.mutable_graph());
//   g.Input("x", onnx::TensorProto::UINT8, {1, 3, 224, 224});
//   const std::string y = g.Node("MaxPool", {"x"}, {{"kernel_shape", {3, 3}}});
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "onnx.pb.h"

namespace tally::bench {

// An attribute of integers: a list of one is written as a scalar where `scalar` says so.
struct OnnxAttribute {
  std::string name;
  std::vector<int64_t> values;
  bool scalar = false;
};

class OnnxGraph {
 public:
  // Names that this graph makes begin with `prefix`.
  explicit OnnxGraph(onnx::GraphProto& graph, std::string prefix = "")
      : graph_(graph), prefix_(std::move(prefix)) {
    graph_.set_name(prefix_ + "graph");
  }

  void Input(const std::string& name, int type, std::span<const int64_t> dims);
  void Output(const std::string& name, int type);  // any shape

  // Constants; each returns its name.
  std::string Scale(double scale);
  std::string Scales(std::span<const double> scales);
  std::string Floats(std::span<const double> values) { return Scales(values); }
  std::string FloatWeights(std::span<const int64_t> dims, std::span<const float> values);
  std::string Zero(int64_t code);  // a zero point of type u8
  std::string SignedZeros(int64_t count);
  std::string Weights(std::span<const int64_t> dims, std::span<const int8_t> values);
  std::string Biases(std::span<const int32_t> values);
  std::string Integers(std::span<const int64_t> dims, std::span<const int64_t> values);

  // A node of ONNX itself and of ONNX Runtime's own operators. Returns the name of the only result.
  std::string Node(const std::string& op, std::vector<std::string> inputs,
                   const std::vector<OnnxAttribute>& attributes = {});
  std::string RuntimeNode(const std::string& op, std::vector<std::string> inputs,
                          const std::vector<OnnxAttribute>& attributes = {});

  onnx::GraphProto& proto() { return graph_; }
  std::string NewName() { return prefix_ + "v" + std::to_string(next_++); }

 private:
  onnx::TensorProto& Tensor(int type, std::span<const int64_t> dims, std::string& name);
  onnx::NodeProto& Add(const std::string& op, std::vector<std::string> inputs,
                       const std::vector<OnnxAttribute>& attributes);

  onnx::GraphProto& graph_;
  std::string prefix_;
  int next_ = 0;
};

}  // namespace tally::bench
