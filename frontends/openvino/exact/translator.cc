#include "frontends/openvino/exact/translator.h"

#include "base/error.h"
#include "base/printable.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"

namespace tally::openvino {

::onnx::AttributeProto& Translator::Added::NewAttribute(std::string_view name) {
  ::onnx::AttributeProto& attribute = *node_->add_attribute();
  attribute.set_name(std::string(name));
  return attribute;
}

Translator::Added& Translator::Added::Set(std::string_view attribute, int64_t value) {
  ::onnx::AttributeProto& proto = NewAttribute(attribute);
  proto.set_type(::onnx::AttributeProto::INT);
  proto.set_i(value);
  return *this;
}

Translator::Added& Translator::Added::Set(std::string_view attribute, const std::vector<int64_t>& values) {
  ::onnx::AttributeProto& proto = NewAttribute(attribute);
  proto.set_type(::onnx::AttributeProto::INTS);
  for (const int64_t value : values) proto.add_ints(value);
  return *this;
}

Translator::Added& Translator::Added::Set(std::string_view attribute, std::string_view value) {
  ::onnx::AttributeProto& proto = NewAttribute(attribute);
  proto.set_type(::onnx::AttributeProto::STRING);
  proto.set_s(std::string(value));
  return *this;
}

// With a tabulator, which no converter writes.
std::string Translator::NewName() { return absl::StrCat(file().name, "\t", num_names_++); }

Translator::Added Translator::Add(std::string_view op, const std::vector<std::string>& inputs,
                                  std::string output) {
  ::onnx::NodeProto& node = *graph_.add_node();
  node.set_op_type(std::string(op));
  node.set_name(file().name);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output.empty() ? NewName() : std::move(output));
  return Added(node);
}

Translator::Added Translator::AddWithAllOutputs(std::string_view op, const std::vector<std::string>& inputs) {
  const Added added = Add(op, inputs, Out(0));
  ::onnx::NodeProto& node = *graph_.mutable_node(graph_.node_size() - 1);
  for (size_t i = 1; i < file().outputs.size(); ++i) node.add_output(Out(i));
  return added;
}

std::string Translator::Constant(const std::vector<int64_t>& dims, const std::vector<int64_t>& values) {
  ::onnx::TensorProto& tensor = *graph_.add_initializer();
  tensor.set_name(NewName());
  tensor.set_data_type(::onnx::TensorProto::INT64);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  for (const int64_t value : values) tensor.add_int64_data(value);
  return tensor.name();
}

absl::StatusOr<size_t> Translator::RankOf(size_t index) const {
  const auto port = ports_.find(In(index));
  if (port != ports_.end()) return port->second->dims.size();
  return Malformed(absl::StrCat("input ", index, " is left out"));
}

}  // namespace tally::openvino
