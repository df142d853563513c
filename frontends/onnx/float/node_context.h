// The view that the importer of one ONNX operator has: a layer (frontends/graph/layer.h), and what only ONNX
// has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/layer.h"
#include "frontends/onnx/float/import_onnx.h"
#include "frontends/onnx/model/attributes.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

using namespace frontend;  // the words that importers of all formats share
using frontend::Operand;   // not the operand of a reference (ops/reference.h)

class NodeContext : public Layer {
 public:
  // Errors: those of Attributes::Of. All that is passed by reference outlives the result.
  static absl::StatusOr<NodeContext> Of(const ::onnx::NodeProto& node, int64_t opset,
                                        const ImportOptions& options, const std::string& source, Scope& scope,
                                        const std::unordered_set<std::string_view>& read) {
    absl::StatusOr<Attributes> attributes = Attributes::Of(node);
    if (!attributes.ok()) return attributes.status();
    LayerNames names = {
        source, {node.input().begin(), node.input().end()}, {node.output().begin(), node.output().end()}};
    return NodeContext(node, opset, options, *std::move(attributes), Layer(std::move(names), scope, read));
  }

  std::string_view op_type() const { return node_.op_type(); }
  int64_t opset() const { return opset_; }
  const ImportOptions& options() const { return options_; }
  Attributes& attributes() { return attributes_; }
  // The elements of an input that is a constant.
  absl::StatusOr<std::vector<int64_t>> Ints(size_t index) const {
    const auto constant = IntConstant(index);
    if (!constant.ok()) return constant.status();
    return (*constant)->data;
  }

 private:
  NodeContext(const ::onnx::NodeProto& node, int64_t opset, const ImportOptions& options,
              Attributes attributes, Layer layer)
      : Layer(std::move(layer)),
        node_(node),
        opset_(opset),
        options_(options),
        attributes_(std::move(attributes)) {}

  const ::onnx::NodeProto& node_;
  int64_t opset_;
  const ImportOptions& options_;
  Attributes attributes_;
};

}  // namespace tally::onnx
