// The nodes of a file, one by one.
#include <utility>

#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/expand/fused_nodes.h"
#include "frontends/onnx/expand/quantized_nodes.h"
#include "frontends/onnx/float/importer.h"
#include "frontends/onnx/model/subgraph.h"

namespace tally::onnx {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

namespace {

// Whose operator it is, and of which version.
std::string SetOf(const NodeProto& node, int64_t opset, Dialect dialect) {
  if (!IsDefaultDomain(node)) return PrintableStart(node.domain());
  return dialect == Dialect::kNhwc ? "NHWC dialect" : "ai.onnx opset " + std::to_string(opset);
}

std::string KindOf(const NodeProto& node) {
  return (IsDefaultDomain(node) ? "" : PrintableStart(node.domain()) + ".") + PrintableStart(node.op_type());
}

}  // namespace

std::string Importer::SourceOf(const NodeProto& node, const std::string& number) const {
  return "node " + number + " '" + PrintableStart(node.name()) + "' (" + PrintableStart(node.op_type()) +
         ", " + SetOf(node, opset_, options_.dialect) + ")";
}

absl::Status Importer::ImportNode(const NodeProto& node, const std::string& number,
                                  std::optional<int> place) {
  const LayerNames names = {SourceOf(node, number),
                            {node.input().begin(), node.input().end()},
                            {node.output().begin(), node.output().end()}};
  const size_t reported = run_.num_reported();
  const LayerSteps steps = {
      .find = [&] { return FindImporter(node).status(); },
      .import = [&] { return ImportNodeFrom(node, number, place, names.source); },
  };
  ASSIGN_OR_RETURN(const LayerReport::Fate fate, run_.ImportLayer(names, KindOf(node), steps));
  if (fate != LayerReport::kImported && run_.num_reported() == reported + 1) {
    ReportSubgraphs(node, number);
  }
  return absl::OkStatus();
}

void Importer::ReportSubgraphs(const NodeProto& node, const std::string& number) {
  ForEachSubgraph(node, [&](const std::string& attribute, const GraphProto& graph) {
    for (int i = 0; i < graph.node_size(); ++i) {
      const NodeProto& inner = graph.node(i);
      const std::string inner_number = NumberWithin(number, attribute, i);
      run_.ReportUnseen(SourceOf(inner, inner_number), KindOf(inner), FindImporter(inner).status());
      ReportSubgraphs(inner, inner_number);
    }
  });
}

std::string Importer::NumberWithin(const std::string& number, const std::string& attribute, int index) {
  return number + "." + PrintableStart(attribute) + "." + std::to_string(index);
}

absl::StatusOr<OperatorImporter> Importer::FindImporter(const NodeProto& node) const {
  if (options_.dialect == Dialect::kNhwc) {
    return FindNhwcOperator(IsDefaultDomain(node) ? "" : node.domain(), node.op_type());
  }
  if (IsQuantizedNode(node) || IsFusedNode(node)) return OperatorImporter{};
  return FindOperator(IsDefaultDomain(node) ? "" : node.domain(), node.op_type(), opset_);
}

absl::Status Importer::ImportNodeFrom(const NodeProto& node, const std::string& number,
                                      std::optional<int> place, const std::string& source) {
  if (place.has_value()) {
    const auto product = dynamic_products_.find(*place);
    if (product != dynamic_products_.end()) return ImportInstead(product->second, source);
  }
  ASSIGN_OR_RETURN(const bool is_inlined, ImportKnownControl(node, number, source));
  if (is_inlined) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto expansion, ExpandQuantizedNode(node, opset_));
  if (!expansion.has_value()) {
    ASSIGN_OR_RETURN(expansion, ExpandFusedNode(node, opset_));
  }
  if (expansion.has_value()) return ImportInstead(*expansion, source);
  return ImportOne(node, source);
}

absl::Status Importer::ImportInstead(const std::vector<NodeProto>& nodes, const std::string& source) {
  for (const NodeProto& node : nodes) RETURN_IF_ERROR(ImportOne(node, source));
  return absl::OkStatus();
}

absl::Status Importer::ImportOne(const NodeProto& node, const std::string& source) {
  ASSIGN_OR_RETURN(NodeContext context, NodeContext::Of(node, opset_, options_, source, run_.scope(), read_));
  ASSIGN_OR_RETURN(const OperatorImporter import, FindImporter(node));
  if (IsDefaultDomain(node) && MovesCodes(node.op_type())) {
    ASSIGN_OR_RETURN(std::optional<Codes> codes, context.CodesOfInputs());
    if (codes.has_value()) context.PassCodes(*std::move(codes));
  }
  RETURN_IF_ERROR(import(context));
  RETURN_IF_ERROR(context.attributes().CheckAllRead());
  return context.RefuseTheRest();
}

}  // namespace tally::onnx
