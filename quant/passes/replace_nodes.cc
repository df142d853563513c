#include "quant/passes/replace_nodes.h"

#include "base/status_macros.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {

absl::StatusOr<Graph> ReplaceNodes(const Graph& graph, const Replacements& replacements) {
  const auto operands_of = [&](size_t n) -> const std::vector<ValueId>& {
    const auto replacement = replacements.find(n);
    return replacement == replacements.end() ? graph.nodes[n].operands : replacement->second.operands;
  };
  std::vector<bool> is_needed(graph.values.size(), false);
  for (const Output& output : graph.outputs) is_needed[output.value] = true;
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    if (!is_needed[graph.nodes[n].result]) continue;
    for (const ValueId operand : operands_of(n)) is_needed[operand] = true;
  }

  GraphBuilder builder(graph.name);
  std::vector<ValueId> renamed(graph.values.size());
  for (const ValueId input : graph.inputs) {
    ASSIGN_OR_RETURN(renamed[input], builder.AddInput(graph.values[input]));
  }
  for (const Node& node : graph.nodes) {
    if (!is_needed[node.result] || ConstantOf(graph, node.result) == nullptr) continue;
    ASSIGN_OR_RETURN(renamed[node.result],
                     builder.AddNode(node.op, {}, graph.values[node.result].name, node.source));
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (!is_needed[node.result] || ConstantOf(graph, node.result) != nullptr) continue;
    std::vector<ValueId> operands;
    for (const ValueId operand : operands_of(n)) operands.push_back(renamed[operand]);
    const auto replacement = replacements.find(n);
    const Op& op = replacement == replacements.end() ? node.op : replacement->second.op;
    ASSIGN_OR_RETURN(renamed[node.result],
                     builder.AddNode(op, std::move(operands), graph.values[node.result].name, node.source));
  }
  for (const Output& output : graph.outputs) builder.AddOutput(renamed[output.value], output.name);
  return std::move(builder).Build();
}

}  // namespace tally::quant
