#include "quant/passes/replace_nodes.h"

#include <string>
#include <utility>

#include "base/status_macros.h"
#include "quant/passes/graph_rewriter.h"

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

  GraphRewriter rewriter(graph);
  RETURN_IF_ERROR(rewriter.AddInputs());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (!is_needed[node.result]) continue;
    const auto replacement = replacements.find(n);
    if (replacement == replacements.end()) {
      RETURN_IF_ERROR(rewriter.Copy(node));
      continue;
    }
    std::vector<ValueId> operands;
    for (const ValueId operand : replacement->second.operands) {
      ASSIGN_OR_RETURN(const ValueId renamed, rewriter.ValueInNewGraph(operand));
      operands.push_back(renamed);
    }
    const std::string& name = rewriter.NameOf(node.result);
    for (const FloatTensor& constant : replacement->second.constants) {
      ASSIGN_OR_RETURN(const ValueId weight,
                       rewriter.builder().AddConstant(rewriter.FreeName(name + "_weight"), constant));
      operands.push_back(weight);
    }
    ASSIGN_OR_RETURN(
        const ValueId result,
        rewriter.builder().AddNode(replacement->second.op, std::move(operands), name, node.source));
    rewriter.Replace(node.result, result);
  }
  return std::move(rewriter).Build();
}

}  // namespace tally::quant
