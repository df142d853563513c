#include "frontends/onnx/testing/model_builder.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "quant/graph/float_executor.h"

namespace tally::onnx {

using ::onnx::AttributeProto;
using ::onnx::TensorProto;

void SetTensor(const quant::Tensor& tensor, TensorProto* proto) {
  for (const int64_t dimension : quant::ShapeOf(tensor)) proto->add_dims(dimension);
  proto->set_data_type(quant::ElementTypeOf(tensor) == quant::ElementType::kFloat32 ? TensorProto::FLOAT
                                                                                    : TensorProto::INT64);
  std::visit(
      [&](const auto& dense) {
        proto->set_raw_data(dense.data.data(), dense.data.size() * sizeof(dense.data[0]));
      },
      tensor);
}

AttributeProto* NodeBuilder::Add(const std::string& name, AttributeProto::AttributeType type) {
  AttributeProto* attribute = node_->add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return attribute;
}

NodeBuilder& NodeBuilder::Int(const std::string& name, int64_t value) {
  Add(name, AttributeProto::INT)->set_i(value);
  return *this;
}

NodeBuilder& NodeBuilder::Ints(const std::string& name, const std::vector<int64_t>& values) {
  AttributeProto* attribute = Add(name, AttributeProto::INTS);
  for (const int64_t value : values) attribute->add_ints(value);
  return *this;
}

NodeBuilder& NodeBuilder::Float(const std::string& name, float value) {
  Add(name, AttributeProto::FLOAT)->set_f(value);
  return *this;
}

NodeBuilder& NodeBuilder::Floats(const std::string& name, const std::vector<float>& values) {
  AttributeProto* attribute = Add(name, AttributeProto::FLOATS);
  for (const float value : values) attribute->add_floats(value);
  return *this;
}

NodeBuilder& NodeBuilder::Strings(const std::string& name, const std::vector<std::string>& values) {
  AttributeProto* attribute = Add(name, AttributeProto::STRINGS);
  for (const std::string& value : values) attribute->add_strings(value);
  return *this;
}

NodeBuilder& NodeBuilder::String(const std::string& name, const std::string& value) {
  Add(name, AttributeProto::STRING)->set_s(value);
  return *this;
}

NodeBuilder& NodeBuilder::Tensor(const std::string& name, const quant::Tensor& value) {
  SetTensor(value, Add(name, AttributeProto::TENSOR)->mutable_t());
  return *this;
}

NodeBuilder& NodeBuilder::Domain(const std::string& domain) {
  node_->set_domain(domain);
  return *this;
}

ModelBuilder::ModelBuilder(int64_t opset) {
  proto_.set_ir_version(8);
  proto_.add_opset_import()->set_version(opset);
  graph().set_name("test");
}

ModelBuilder& ModelBuilder::Input(const std::string& name, const std::vector<int64_t>& dims) {
  auto* input = graph().add_input();
  input->set_name(name);
  auto* type = input->mutable_type()->mutable_tensor_type();
  type->set_elem_type(TensorProto::FLOAT);
  auto* shape = type->mutable_shape();
  for (const int64_t dimension : dims) {
    auto* added = shape->add_dim();
    if (dimension == -1) {
      added->set_dim_param("N");
    } else {
      added->set_dim_value(dimension);
    }
  }
  return *this;
}

ModelBuilder& ModelBuilder::IntegerInput(const std::string& name, const std::vector<int64_t>& dims,
                                         int type) {
  Input(name, dims);
  graph().mutable_input(graph().input_size() - 1)->mutable_type()->mutable_tensor_type()->set_elem_type(type);
  return *this;
}

ModelBuilder& ModelBuilder::Output(const std::string& name) {
  graph().add_output()->set_name(name);
  return *this;
}

ModelBuilder& ModelBuilder::Weight(const std::string& name, const quant::FloatTensor& tensor) {
  TensorProto* initializer = graph().add_initializer();
  initializer->set_name(name);
  SetTensor(tensor, initializer);
  return *this;
}

ModelBuilder& ModelBuilder::Integers(const std::string& name, const quant::Int64Tensor& tensor) {
  TensorProto* initializer = graph().add_initializer();
  initializer->set_name(name);
  SetTensor(tensor, initializer);
  return *this;
}

ModelBuilder& ModelBuilder::Codes(const std::string& name, int data_type, const quant::Int64Tensor& tensor) {
  TensorProto* initializer = graph().add_initializer();
  initializer->set_name(name);
  initializer->set_data_type(data_type);
  for (const int64_t dimension : tensor.shape) initializer->add_dims(dimension);
  for (const int64_t code : tensor.data) initializer->add_int32_data(static_cast<int32_t>(code));
  return *this;
}

NodeBuilder ModelBuilder::Node(const std::string& op_type, const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs) {
  ::onnx::NodeProto* node = graph().add_node();
  node->set_op_type(op_type);
  node->set_name("the_" + op_type);
  for (const std::string& input : inputs) node->add_input(input);
  for (const std::string& output : outputs) node->add_output(output);
  return NodeBuilder(node);
}

std::vector<uint8_t> ModelBuilder::Bytes() const {
  const std::string bytes = proto_.SerializeAsString();
  return {bytes.begin(), bytes.end()};
}

absl::StatusOr<quant::Graph> ModelBuilder::Import(const ImportOptions& options) const {
  return ImportOnnx(Bytes(), options);
}

std::string ModelBuilder::ImportLabel(const ImportOptions& options) const {
  const auto graph = Import(options);
  return ErrorLabel(graph.ok() ? quant::Verify(*graph) : graph.status());
}

std::string ModelBuilder::ImportMessage() const { return std::string(Import().status().message()); }

std::vector<quant::Tensor> ModelBuilder::Run(const std::vector<quant::FloatTensor>& inputs,
                                             const ImportOptions& options) const {
  const auto graph = Import(options);
  if (!graph.ok()) {
    ADD_FAILURE() << graph.status();
    return {};
  }
  EXPECT_TRUE(quant::Verify(*graph).ok()) << quant::Verify(*graph);
  const auto outputs = quant::RunGraph(*graph, inputs);
  if (!outputs.ok()) {
    ADD_FAILURE() << outputs.status();
    return {};
  }
  return *outputs;
}

quant::FloatTensor SmallIntegers(const quant::Shape& shape, uint32_t seed) {
  quant::FloatTensor tensor{shape, {}};
  for (int64_t i = 0; i < quant::NumElements(shape); ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor.data.push_back(static_cast<float>(seed >> 28) - 8.0f);
  }
  return tensor;
}

}  // namespace tally::onnx
