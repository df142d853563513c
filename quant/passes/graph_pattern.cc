#include "quant/passes/graph_pattern.h"

namespace tally::quant {

GraphPattern::GraphPattern(const Graph& graph)
    : graph_(graph), num_uses_(NumUses(graph)), last_reader_(graph.values.size()) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId operand : graph.nodes[n].operands) last_reader_[operand] = n;
  }
}

std::optional<size_t> GraphPattern::NodeOf(ValueId value) const {
  const int32_t producer = graph_.values[value].producer;
  if (producer == kGraphInput) return std::nullopt;
  return static_cast<size_t>(producer);
}

const Node* GraphPattern::Producer(ValueId value) const {
  const auto node = NodeOf(value);
  return node.has_value() ? &graph_.nodes[*node] : nullptr;
}

std::optional<size_t> GraphPattern::InnerNodeOf(ValueId value) const {
  return num_uses_[value] == 1 ? NodeOf(value) : std::nullopt;
}

const Node* GraphPattern::Inner(ValueId value) const {
  return num_uses_[value] == 1 ? Producer(value) : nullptr;
}

std::optional<size_t> GraphPattern::OnlyReaderOf(ValueId value) const {
  return num_uses_[value] == 1 ? last_reader_[value] : std::nullopt;
}

std::optional<ValueId> GraphPattern::OperandOf(ValueId value, RecipeFunction function,
                                               std::optional<float> alpha) const {
  const Node* node = Inner<Unary>(value);
  if (node == nullptr) return std::nullopt;
  const Unary& unary = std::get<Unary>(node->op);
  if (unary.function != function || (alpha.has_value() && unary.alpha != *alpha)) return std::nullopt;
  return node->operands[0];
}

const FloatTensor* GraphPattern::Floats(ValueId value) const {
  const Tensor* constant = ConstantOf(graph_, value);
  return constant == nullptr ? nullptr : std::get_if<FloatTensor>(constant);
}

std::optional<float> GraphPattern::Number(ValueId value) const {
  const FloatTensor* floats = Floats(value);
  if (floats == nullptr || floats->data.size() != 1) return std::nullopt;
  return floats->data[0];
}

}  // namespace tally::quant
