// Graphs written in place, for tests.
//
//   Graph({"x"}, {Node("Reshape", {"x", "shape"}, {"y"}, {Int("allowzero", 1)})}, {"y"})
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

using Names = std::vector<std::string>;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

inline AttributeProto Int(const std::string& name, int64_t value) {
  AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INT);
  attribute.set_i(value);
  return attribute;
}

inline AttributeProto IntList(const std::string& name, const std::vector<int64_t>& values) {
  AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INTS);
  for (const int64_t value : values) attribute.add_ints(value);
  return attribute;
}

inline AttributeProto String(const std::string& name, const std::string& value) {
  AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(AttributeProto::STRING);
  attribute.set_s(value);
  return attribute;
}

inline AttributeProto Body(const std::string& name, const GraphProto& graph) {
  AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(AttributeProto::GRAPH);
  *attribute.mutable_g() = graph;
  return attribute;
}

inline NodeProto Node(const std::string& op_type, const Names& inputs, const Names& outputs,
                      const std::vector<AttributeProto>& attributes = {}) {
  NodeProto node;
  node.set_op_type(op_type);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  for (const AttributeProto& attribute : attributes) *node.add_attribute() = attribute;
  return node;
}

inline GraphProto Graph(const Names& inputs, const std::vector<NodeProto>& nodes, const Names& outputs) {
  GraphProto graph;
  for (const std::string& input : inputs) graph.add_input()->set_name(input);
  for (const NodeProto& node : nodes) *graph.add_node() = node;
  for (const std::string& output : outputs) graph.add_output()->set_name(output);
  return graph;
}

}  // namespace tally::onnx
