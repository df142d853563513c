#include "quant/passes/graph_rewriter.h"

#include <utility>
#include <variant>

#include "base/status_macros.h"

namespace tally::quant {

GraphRewriter::GraphRewriter(const Graph& graph)
    : graph_(graph), builder_(graph.name), new_id_of_(graph.values.size()) {
  for (const Value& value : graph.values) names_.insert(value.name);
}

absl::Status GraphRewriter::AddInputs() {
  for (const ValueId input : graph_.inputs) {
    ASSIGN_OR_RETURN(new_id_of_[input], builder_.AddInput(graph_.values[input]));
  }
  return absl::OkStatus();
}

absl::StatusOr<ValueId> GraphRewriter::ValueInNewGraph(ValueId value) {
  if (!new_id_of_[value].has_value()) {
    const Node& producer = graph_.nodes[graph_.values[value].producer];
    ASSIGN_OR_RETURN(new_id_of_[value], builder_.AddNode(producer.op, {}, NameOf(value), producer.source));
  }
  return *new_id_of_[value];
}

absl::Status GraphRewriter::Copy(const Node& node) {
  if (std::holds_alternative<Constant>(node.op)) return absl::OkStatus();
  std::vector<ValueId> operands;
  for (const ValueId operand : node.operands) {
    ASSIGN_OR_RETURN(const ValueId renamed, ValueInNewGraph(operand));
    operands.push_back(renamed);
  }
  ASSIGN_OR_RETURN(new_id_of_[node.result],
                   builder_.AddNode(node.op, std::move(operands), NameOf(node.result), node.source));
  return absl::OkStatus();
}

std::string GraphRewriter::FreeName(std::string name) {
  while (!names_.insert(name).second) name += "_";
  return name;
}

absl::StatusOr<Graph> GraphRewriter::Build() && {
  for (const Output& output : graph_.outputs) {
    ASSIGN_OR_RETURN(const ValueId renamed, ValueInNewGraph(output.value));
    builder_.AddOutput(renamed, output.name);
  }
  return std::move(builder_).Build();
}

}  // namespace tally::quant
