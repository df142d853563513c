#include "quant/graph/integer_intervals.h"

#include <algorithm>
#include <utility>

namespace tally::quant {
namespace {

std::optional<Interval> IntervalOf(const Graph& graph, const Node& node, const Intervals& known) {
  if (const Tensor* constant = ConstantOf(graph, node.result)) {
    const auto [lo, hi] = std::ranges::minmax(std::get<Int64Tensor>(*constant).data);
    return Interval{lo, hi};
  }
  Intervals operands;
  OperandTypes types;
  for (const ValueId operand : node.operands) {
    operands.push_back(known[operand]);
    types.push_back(graph.values[operand].type);
  }
  return std::visit(
      [&](const auto& op) -> std::optional<Interval> {
        if constexpr (requires { op.IntervalFrom(operands, types); }) return op.IntervalFrom(operands, types);
        // Operators that move elements, and may put zeros around them.
        if (operands.empty() || !operands[0].has_value() || !op.kTraits.moves) return std::nullopt;
        return op.kTraits.adds_zero ? operands[0]->Hull({0, 0}) : *operands[0];
      },
      node.op);
}

}  // namespace

Intervals IntervalsOfInputs(const Graph& graph) {
  Intervals intervals(graph.values.size());
  for (const ValueId input : graph.inputs) intervals[input] = graph.values[input].interval;
  return intervals;
}

Intervals IntegerIntervals(const Graph& graph, Intervals intervals) {
  for (const Node& node : graph.nodes) {
    if (graph.values[node.result].type.element != ElementType::kInt64) continue;
    intervals[node.result] = IntervalOf(graph, node, intervals);
  }
  return intervals;
}

}  // namespace tally::quant
