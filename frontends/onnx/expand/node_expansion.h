// Nodes of ONNX's own domain that a node stands for, while they are written.
//
//   NodeExpansion expansion(node);
//   expansion.FinishAs(expansion.Add("Relu", {expansion.Input(0)}));
//   return expansion.TakeNodes();
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

class NodeExpansion {
 public:
  // `node` outlives this.
  explicit NodeExpansion(const ::onnx::NodeProto& node) : node_(node) {}

  int num_inputs() const { return node_.input_size(); }
  // Empty where it is left out.
  std::string Input(int index) const { return index < node_.input_size() ? node_.input(index) : ""; }
  const ::onnx::AttributeProto* Attribute(std::string_view name) const {
    const auto found = std::ranges::find_if(
        node_.attribute(), [&](const ::onnx::AttributeProto& a) { return a.name() == name; });
    return found == node_.attribute().end() ? nullptr : &*found;
  }

  // A node with one result, of a name that no file has. Valid until the next one.
  ::onnx::NodeProto& Add(std::string_view op_type, std::vector<std::string> inputs) {
    ::onnx::NodeProto& added = nodes_.emplace_back();
    added.set_name(node_.name());
    added.set_op_type(std::string(op_type));
    for (std::string& input : inputs) added.add_input(std::move(input));
    added.add_output(absl::StrCat(node_.output_size() == 0 ? "" : node_.output(0), "\t", nodes_.size()));
    return added;
  }
  std::string NameOf(const ::onnx::NodeProto& added) const { return added.output(0); }
  std::string Number(float number) {
    ::onnx::NodeProto& added = Add("Constant", {});
    SetFloat(added, "value_float", number);
    return NameOf(added);
  }

  // The attributes of the node whose name `is_copied` says yes to.
  template <typename Choose>
  void CopyAttributes(::onnx::NodeProto& to, Choose is_copied) const {
    for (const ::onnx::AttributeProto& attribute : node_.attribute()) {
      if (is_copied(std::string_view(attribute.name()))) *to.add_attribute() = attribute;
    }
  }

  static void SetInt(::onnx::NodeProto& node, std::string_view name, int64_t value) {
    ::onnx::AttributeProto* attribute = node.add_attribute();
    attribute->set_name(std::string(name));
    attribute->set_type(::onnx::AttributeProto::INT);
    attribute->set_i(value);
  }
  static void SetFloat(::onnx::NodeProto& node, std::string_view name, float value) {
    ::onnx::AttributeProto* attribute = node.add_attribute();
    attribute->set_name(std::string(name));
    attribute->set_type(::onnx::AttributeProto::FLOAT);
    attribute->set_f(value);
  }

  // The result of `last` is the node's result.
  void FinishAs(::onnx::NodeProto& last) const {
    if (node_.output_size() > 0) last.set_output(0, node_.output(0));
  }
  // The node itself, in ONNX's own domain.
  void Same() {
    nodes_.push_back(node_);
    nodes_.back().clear_domain();
  }

  std::vector<::onnx::NodeProto> TakeNodes() { return std::move(nodes_); }

 private:
  const ::onnx::NodeProto& node_;
  std::vector<::onnx::NodeProto> nodes_;
};

}  // namespace tally::onnx
