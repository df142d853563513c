#include "bench/peers/onnx_graph.h"

#include <array>

namespace tally::bench {

void OnnxGraph::Input(const std::string& name, int type, std::span<const int64_t> dims) {
  onnx::ValueInfoProto& value = *graph_.add_input();
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();  // known, also of a scalar
  for (const int64_t dim : dims) tensor.mutable_shape()->add_dim()->set_dim_value(dim);
}

void OnnxGraph::Output(const std::string& name, int type) {
  onnx::ValueInfoProto& value = *graph_.add_output();
  value.set_name(name);
  value.mutable_type()->mutable_tensor_type()->set_elem_type(type);
}

onnx::TensorProto& OnnxGraph::Tensor(int type, std::span<const int64_t> dims, std::string& name) {
  onnx::TensorProto& tensor = *graph_.add_initializer();
  name = NewName();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  return tensor;
}

std::string OnnxGraph::Scale(double scale) {
  std::string name;
  Tensor(onnx::TensorProto::FLOAT, {}, name).add_float_data(static_cast<float>(scale));
  return name;
}

std::string OnnxGraph::Scales(std::span<const double> scales) {
  std::string name;
  onnx::TensorProto& tensor =
      Tensor(onnx::TensorProto::FLOAT, std::array{static_cast<int64_t>(scales.size())}, name);
  for (const double scale : scales) tensor.add_float_data(static_cast<float>(scale));
  return name;
}

std::string OnnxGraph::FloatWeights(std::span<const int64_t> dims, std::span<const float> values) {
  std::string name;
  Tensor(onnx::TensorProto::FLOAT, dims, name)
      .set_raw_data(std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  return name;
}

std::string OnnxGraph::Zero(int64_t code) {
  std::string name;
  Tensor(onnx::TensorProto::UINT8, {}, name).add_int32_data(static_cast<int32_t>(code));
  return name;
}

std::string OnnxGraph::SignedZeros(int64_t count) {
  return Weights(std::array{count}, std::vector<int8_t>(static_cast<size_t>(count)));
}

std::string OnnxGraph::Weights(std::span<const int64_t> dims, std::span<const int8_t> values) {
  std::string name;
  Tensor(onnx::TensorProto::INT8, dims, name)
      .set_raw_data(std::string(reinterpret_cast<const char*>(values.data()), values.size()));
  return name;
}

std::string OnnxGraph::Biases(std::span<const int32_t> values) {
  std::string name;
  onnx::TensorProto& tensor =
      Tensor(onnx::TensorProto::INT32, std::array{static_cast<int64_t>(values.size())}, name);
  for (const int32_t value : values) tensor.add_int32_data(value);
  return name;
}

std::string OnnxGraph::Integers(std::span<const int64_t> dims, std::span<const int64_t> values) {
  std::string name;
  onnx::TensorProto& tensor = Tensor(onnx::TensorProto::INT64, dims, name);
  for (const int64_t value : values) tensor.add_int64_data(value);
  return name;
}

onnx::NodeProto& OnnxGraph::Add(const std::string& op, std::vector<std::string> inputs,
                                const std::vector<OnnxAttribute>& attributes) {
  onnx::NodeProto& node = *graph_.add_node();
  node.set_op_type(op);
  for (std::string& input : inputs) node.add_input(std::move(input));
  for (const OnnxAttribute& attribute : attributes) {
    onnx::AttributeProto& written = *node.add_attribute();
    written.set_name(attribute.name);
    if (attribute.scalar) {
      written.set_type(onnx::AttributeProto::INT);
      written.set_i(attribute.values[0]);
      continue;
    }
    written.set_type(onnx::AttributeProto::INTS);
    for (const int64_t value : attribute.values) written.add_ints(value);
  }
  node.add_output(NewName());
  node.set_name(node.output(0));
  return node;
}

std::string OnnxGraph::Node(const std::string& op, std::vector<std::string> inputs,
                            const std::vector<OnnxAttribute>& attributes) {
  return Add(op, std::move(inputs), attributes).output(0);
}

std::string OnnxGraph::RuntimeNode(const std::string& op, std::vector<std::string> inputs,
                                   const std::vector<OnnxAttribute>& attributes) {
  onnx::NodeProto& node = Add(op, std::move(inputs), attributes);
  node.set_domain("com.microsoft");
  return node.output(0);
}

}  // namespace tally::bench
