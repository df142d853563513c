#include "quant/passes/bound_inputs.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tally::quant {
namespace {

// The axis along which an operator chooses elements of its first operand by indices, its second one.
std::optional<int64_t> IndexedAxis(const Op& op) {
  if (const auto* slices = std::get_if<Gather>(&op)) return slices->axis;
  if (const auto* elements = std::get_if<GatherElements>(&op)) return elements->axis;
  return std::nullopt;
}

bool ReadsIndices(const Op& op) {
  return IndexedAxis(op).has_value() || std::holds_alternative<GatherNd>(op);
}

}  // namespace

absl::StatusOr<Graph> BoundInputs(const Graph& graph) {
  Graph bounded = graph;
  // By value: how many places there are for the indices that its elements become.
  std::vector<std::optional<int64_t>> places(graph.values.size());
  const auto bound = [&](ValueId value, std::optional<int64_t> count) {
    if (!count.has_value() || graph.values[value].type.element != ElementType::kInt64) return;
    places[value] = std::min(*count, places[value].value_or(*count));
  };
  std::vector<bool> is_needed(graph.values.size(), false);  // by an output
  for (const Output& output : graph.outputs) is_needed[output.value] = true;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (!is_needed[node->result]) continue;
    for (const ValueId operand : node->operands) is_needed[operand] = true;
    if (ReadsIndices(node->op)) {
      if (const auto axis = IndexedAxis(node->op)) {
        bound(node->operands[1], graph.values[node->operands[0]].type.shape[static_cast<size_t>(*axis)]);
      }
      bound(node->operands[0], places[node->result]);
    } else if (TraitsOf(node->op).moves) {
      for (const ValueId operand : node->operands) bound(operand, places[node->result]);
    }
  }
  for (const ValueId input : graph.inputs) {
    if (!places[input].has_value()) continue;
    std::optional<Interval>& interval = bounded.values[input].interval;
    const Interval all = interval.value_or(Interval{0, *places[input] - 1});
    interval = {std::max<int64_t>(all.lo, 0), std::min(all.hi, *places[input] - 1)};
  }
  return bounded;
}

}  // namespace tally::quant
