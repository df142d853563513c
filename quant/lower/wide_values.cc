#include "quant/lower/wide_values.h"

#include <variant>

namespace tally::quant {
namespace {

bool IsFactor(const Graph& graph, ValueId id) {
  const Tensor* constant = ConstantOf(graph, id);
  return constant != nullptr && NumElements(ShapeOf(*constant)) == 1;
}

// Whether the result is the first operand times one factor, so that the rounding of both is the same.
bool Stretches(const Graph& graph, const Node& node) {
  const bool multiplies = std::holds_alternative<Mul>(node.op) || std::holds_alternative<Div>(node.op);
  return multiplies && IsFactor(graph, node.operands[1]);
}

}  // namespace

std::vector<bool> WideValues(const Graph& graph, const Calibration& calibration) {
  std::vector<bool> wide(graph.values.size(), false);
  for (size_t id = 0; id < wide.size(); ++id) wide[id] = calibration.wide.contains(graph.values[id].name);
  for (const Output& output : graph.outputs) wide[output.value] = true;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool passes =
        (TraitsOf(node->op).grid == Grid::kOfOperand || Stretches(graph, *node)) && wide[node->result];
    for (size_t i = 0; i < node->operands.size(); ++i) {
      if (ReadsWide(node->op, i) || (passes && i == 0)) wide[node->operands[i]] = true;
    }
  }
  return wide;
}

std::vector<ValueId> WidenedBy(const Graph& graph, const Calibration& calibration) {
  std::vector<ValueId> by(graph.values.size(), kNoValue);
  for (size_t id = 0; id < by.size(); ++id) {
    const Value& value = graph.values[id];
    if (value.producer != kGraphInput && calibration.wide.contains(value.name) &&
        calibration.values.contains(value.name)) {
      by[id] = static_cast<ValueId>(id);
    }
  }
  for (const Node& node : graph.nodes) {
    if (TraitsOf(node.op).grid == Grid::kOfOperand && by[node.result] == kNoValue)
      by[node.result] = by[node.operands[0]];
  }
  return by;
}

}  // namespace tally::quant
