#include "quant/equalize/unit_factors.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "base/status_macros.h"
#include "quant/equalize/channel_groups.h"
#include "quant/passes/graph_rewriter.h"

namespace tally::quant {
namespace {

bool IsDepthwise(const Graph& graph, const Node& node, ValueId read) {
  const auto* conv = std::get_if<Conv>(&node.op);
  return conv != nullptr && node.operands[0] == read && conv->groups > 1 &&
         graph.values[node.operands[1]].type.shape[1] == 1;
}

// By value: whether depthwise layers read it, and nothing else does.
std::vector<bool> ReadByDepthwise(const Graph& graph) {
  std::vector<bool> some(graph.values.size(), false), others(graph.values.size(), false);
  for (const Output& output : graph.outputs) others[output.value] = true;
  for (const Node& node : graph.nodes) {
    for (const ValueId operand : node.operands) {
      (IsDepthwise(graph, node, operand) ? some : others)[operand] = true;
    }
  }
  for (size_t id = 0; id < some.size(); ++id) some[id] = some[id] && !others[id];
  return some;
}

std::string NameOfScaled(const Graph& graph, const Node& node) {
  return graph.values[node.result].name + "_scaled";
}

}  // namespace

absl::StatusOr<Graph> WithUnitFactors(const Graph& graph,
                                      const std::function<bool(const std::string&)>& wants) {
  std::set<std::string> taken;
  for (const Value& value : graph.values) taken.insert(value.name);
  std::vector<bool> read = ReadByDepthwise(graph);
  for (const ChannelGroup& group : FindChannelGroups(graph).list) {
    for (const ChannelGroup::Read& of_group : group.reads) read[of_group.value] = false;  // it takes factors
  }
  const auto is_place = [&](const Node& node) {
    const std::string name = NameOfScaled(graph, node);
    return read[node.result] && !taken.contains(name) && wants(name);
  };
  if (std::ranges::none_of(graph.nodes, is_place)) return graph;
  GraphRewriter rewriter(graph);
  RETURN_IF_ERROR(rewriter.AddInputs());
  for (const Node& node : graph.nodes) {
    RETURN_IF_ERROR(rewriter.Copy(node));
    if (!is_place(node)) continue;
    const Shape& whole = graph.values[node.result].type.shape;
    Shape shape(whole.size() - 1, 1);  // channels are axis 1
    shape[0] = whole[1];
    FloatTensor ones = {shape, std::vector<float>(static_cast<size_t>(shape[0]), 1)};
    const std::string name = NameOfScaled(graph, node);
    ASSIGN_OR_RETURN(const ValueId factors,
                     rewriter.builder().AddConstant(rewriter.FreeName(name + "_factors"), std::move(ones)));
    ASSIGN_OR_RETURN(const ValueId x, rewriter.ValueInNewGraph(node.result));
    ASSIGN_OR_RETURN(const ValueId scaled,
                     rewriter.builder().AddNode(Mul{}, {x, factors}, name, node.source));
    rewriter.Replace(node.result, scaled);
  }
  return std::move(rewriter).Build();
}

}  // namespace tally::quant
