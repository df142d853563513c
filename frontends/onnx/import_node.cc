// The nodes of a file, one by one.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/compute_at_import.h"
#include "frontends/onnx/fused_nodes.h"
#include "frontends/onnx/importer.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/quantized_nodes.h"
#include "frontends/onnx/subgraph.h"

namespace tally::onnx {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

namespace {

std::string SourceOf(const NodeProto& node, const std::string& number, int64_t opset) {
  const std::string domain = IsDefaultDomain(node) ? "ai.onnx" : PrintableStart(node.domain());
  const std::string version = domain == "ai.onnx" ? " opset " + std::to_string(opset) : "";
  return "node " + number + " '" + PrintableStart(node.name()) + "' (" + PrintableStart(node.op_type()) +
         ", " + domain + version + ")";
}

// Those of the first input that has some: a node whose inputs differ is refused where it reads the others.
absl::StatusOr<std::optional<Codes>> CodesOfInputs(const NodeContext& context, int num_inputs) {
  for (size_t i = 0; i < static_cast<size_t>(num_inputs); ++i) {
    if (!context.HasInput(i)) continue;
    ASSIGN_OR_RETURN(const Operand operand, context.CodesInput(i));
    if (operand.codes.has_value()) return operand.codes;
  }
  return std::nullopt;
}

}  // namespace

absl::Status Importer::ImportNode(const NodeProto& node, const std::string& number,
                                  std::optional<int> place) {
  const std::string source = SourceOf(node, number, opset_);
  if (report_ == nullptr) return At(source, ImportNodeFrom(node, number, place, source));
  const size_t reported = Report(node, source);
  NodeReport::Fate fate = NodeReport::kImported;
  absl::Status why;
  if (std::ranges::any_of(node.input(), [&](const auto& name) { return unavailable_.contains(name); })) {
    why = At(source, FindImporter(node).status());
    fate = NodeReport::kUnavailable;
  } else {
    why = At(source, ImportNodeFrom(node, number, place, source));
    if (std::ranges::any_of(node.output(), [&](const auto& name) { return unavailable_.contains(name); })) {
      fate = NodeReport::kUnavailable;  // its own nodes say why
    }
  }
  if (!why.ok()) fate = NodeReport::kRefused;
  if (fate != NodeReport::kImported) MarkUnavailable(node.output());
  const bool is_inlined = report_->nodes.size() > reported + 1;
  report_->nodes[reported].fate = fate;
  report_->nodes[reported].why = std::move(why);
  if (fate != NodeReport::kImported && !is_inlined) ReportSubgraphs(node, number);
  return absl::OkStatus();
}

size_t Importer::Report(const NodeProto& node, const std::string& source) {
  const std::string domain = IsDefaultDomain(node) ? "" : PrintableStart(node.domain()) + ".";
  report_->nodes.push_back({.source = source, .op = domain + PrintableStart(node.op_type())});
  return report_->nodes.size() - 1;
}

void Importer::ReportSubgraphs(const NodeProto& node, const std::string& number) {
  ForEachSubgraph(node, [&](const std::string& attribute, const GraphProto& graph) {
    for (int i = 0; i < graph.node_size(); ++i) {
      const NodeProto& inner = graph.node(i);
      const std::string inner_number = NumberWithin(number, attribute, i);
      const std::string source = SourceOf(inner, inner_number, opset_);
      NodeReport& reported = report_->nodes[Report(inner, source)];
      reported.why = At(source, FindImporter(inner).status());
      reported.fate = reported.why.ok() ? NodeReport::kUnavailable : NodeReport::kRefused;
      ReportSubgraphs(inner, inner_number);
    }
  });
}

std::string Importer::NumberWithin(const std::string& number, const std::string& attribute, int index) {
  return number + "." + PrintableStart(attribute) + "." + std::to_string(index);
}

absl::StatusOr<OperatorImporter> Importer::FindImporter(const NodeProto& node) const {
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
  const bool is_default_domain = IsDefaultDomain(node);
  const bool folds = is_default_domain && IsComputedAtImport(node, scope_);
  OperatorImporter import = ComputeAtImport;
  if (!folds) {
    ASSIGN_OR_RETURN(import, FindImporter(node));
  }
  ASSIGN_OR_RETURN(Attributes attributes, Attributes::Of(node));
  NodeContext context(node, opset_, options_, source, std::move(attributes), scope_, read_);
  if (is_default_domain && MovesCodes(node.op_type())) {
    ASSIGN_OR_RETURN(std::optional<Codes> codes, CodesOfInputs(context, node.input_size()));
    if (codes.has_value()) context.PassCodes(*std::move(codes));
  }
  RETURN_IF_ERROR(import(context));
  RETURN_IF_ERROR(context.attributes().CheckAllRead());
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty() || context.is_finished(static_cast<size_t>(i))) continue;
    const absl::Status error = MakeError(label::onnx_unsupported_output,
                                         "'" + PrintableStart(node.output(i)) + "' is output " +
                                             std::to_string(i) + " of " + source + ", which is not imported");
    RETURN_IF_ERROR(scope_.BindError(node.output(i), error));
  }
  return absl::OkStatus();
}

}  // namespace tally::onnx
