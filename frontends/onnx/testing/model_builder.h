// Writes ONNX models for tests, through protobuf itself and so independently of the importer.
//
//   ModelBuilder model(/*opset=*/13);
//   model.Input("x", {1, 3, 8, 8}).Weight("w", {{4, 3, 3, 3}, ...}).Output("y");
//   model.Node("Conv", {"x", "w"}, {"y"}).Ints("pads", {1, 1, 1, 1}).Int("group", 1);
//   EXPECT_EQ(model.ImportLabel(), "");
//   EXPECT_EQ(model.Run({x}), ...);
//
// proto() is open for whatever else a test wants to say, or to spoil.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/float/import_onnx.h"
#include "quant/graph/graph.h"
#include "quant/graph/testing/ops_of.h"
#include "quant/tensor/tensor.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// Sets attributes of a node of a ModelBuilder; valid until the model changes hands.
class NodeBuilder {
 public:
  explicit NodeBuilder(::onnx::NodeProto* node) : node_(node) {}

  NodeBuilder& Int(const std::string& name, int64_t value);
  NodeBuilder& Ints(const std::string& name, const std::vector<int64_t>& values);
  NodeBuilder& Float(const std::string& name, float value);
  NodeBuilder& Floats(const std::string& name, const std::vector<float>& values);
  NodeBuilder& Strings(const std::string& name, const std::vector<std::string>& values);
  NodeBuilder& String(const std::string& name, const std::string& value);
  NodeBuilder& Tensor(const std::string& name, const quant::Tensor& value);
  NodeBuilder& Domain(const std::string& domain);

  ::onnx::NodeProto& proto() { return *node_; }

 private:
  ::onnx::AttributeProto* Add(const std::string& name, ::onnx::AttributeProto::AttributeType type);

  ::onnx::NodeProto* node_;
};

class ModelBuilder {
 public:
  explicit ModelBuilder(int64_t opset = 13);

  // A float input; -1 leaves a dimension open.
  ModelBuilder& Input(const std::string& name, const std::vector<int64_t>& dims);
  // An input of integers, or with `type` of another of TensorProto's types.
  ModelBuilder& IntegerInput(const std::string& name, const std::vector<int64_t>& dims,
                             int type = ::onnx::TensorProto::INT64);
  ModelBuilder& Output(const std::string& name);
  ModelBuilder& Weight(const std::string& name, const quant::FloatTensor& tensor);
  ModelBuilder& Integers(const std::string& name, const quant::Int64Tensor& tensor);
  // An initializer of codes, or of int32, by TensorProto's type.
  ModelBuilder& Codes(const std::string& name, int data_type, const quant::Int64Tensor& tensor);
  NodeBuilder Node(const std::string& op_type, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs);

  ::onnx::ModelProto& proto() { return proto_; }
  ::onnx::GraphProto& graph() { return *proto_.mutable_graph(); }

  std::vector<uint8_t> Bytes() const;
  absl::StatusOr<quant::Graph> Import(const ImportOptions& options = {}) const;
  // The label of the error, or "" when the import succeeds and its graph passes quant::Verify.
  std::string ImportLabel(const ImportOptions& options = {}) const;
  std::string ImportMessage() const;
  // The outputs of the imported graph; a test failure and nothing, when the import fails.
  std::vector<quant::Tensor> Run(const std::vector<quant::FloatTensor>& inputs,
                                 const ImportOptions& options = {}) const;

 private:
  ::onnx::ModelProto proto_;
};

// Writes `tensor` as raw data.
void SetTensor(const quant::Tensor& tensor, ::onnx::TensorProto* proto);

using quant::OpsOf;

// Small integers in an order that looks random, so that float sums of them are exact.
quant::FloatTensor SmallIntegers(const quant::Shape& shape, uint32_t seed);

}  // namespace tally::onnx
