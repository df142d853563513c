// The view that the translator of one operation has: its attributes and constants, and the ONNX graph to
// which it adds the nodes that compute the same.
//
//   absl::Status TranslateNotEqual(Translator& t) {
//     t.Add("Not", {t.Add("Equal", {t.In(0), t.In(1)})}, t.Out(0));
//     return absl::OkStatus();
//   }
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/openvino/ir_layer.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::openvino {

// The facts about values that ports state, by their names.
using Ports = std::map<std::string, const IrOutput*>;

class Translator {
 public:
  Translator(IrNode& node, const Ports& ports, ::onnx::GraphProto& graph)
      : node_(node), ports_(ports), graph_(graph) {}

  IrNode& node() { return node_; }
  const IrLayer& file() const { return node_.file(); }
  std::string In(size_t index) const { return index < file().inputs.size() ? file().inputs[index] : ""; }
  const std::string& Out(size_t index) const { return file().outputs[index].value; }

  // A node with one output, which has a name of its own where none is given.
  class Added {
   public:
    explicit Added(::onnx::NodeProto& node) : node_(&node) {}
    operator std::string() const { return node_->output(0); }
    Added& Set(std::string_view attribute, int64_t value);
    Added& Set(std::string_view attribute, const std::vector<int64_t>& values);
    Added& Set(std::string_view attribute, std::string_view value);

   private:
    ::onnx::AttributeProto& NewAttribute(std::string_view name);
    ::onnx::NodeProto* node_;
  };
  Added Add(std::string_view op, const std::vector<std::string>& inputs, std::string output = "");
  // Further outputs of the node are those of the layer.
  Added AddWithAllOutputs(std::string_view op, const std::vector<std::string>& inputs);
  // A constant list of 64-bit integers, or one of them.
  std::string List(const std::vector<int64_t>& values) { return Constant({std::ssize(values)}, values); }
  std::string Number(int64_t value) { return Constant({}, {value}); }

  // How many axes an input has, as the layer that gives it says.
  absl::StatusOr<size_t> RankOf(size_t index) const;

 private:
  std::string Constant(const std::vector<int64_t>& dims, const std::vector<int64_t>& values);
  std::string NewName();

  IrNode& node_;
  const Ports& ports_;
  ::onnx::GraphProto& graph_;
  int num_names_ = 0;
};

using TranslateLayer = absl::Status (*)(Translator&);

}  // namespace tally::openvino
