// Questions of passes about a graph's values, to find several nodes that stand for one operator.
//
//   const GraphPattern pattern(graph);
//   if (const Node* add = pattern.Inner<Add>(value)) ...   // value = a + b, which nothing else reads
#pragma once

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "quant/graph/graph.h"

namespace tally::quant {

// Looks at `graph`, which has to stay where it is. Each question takes constant time.
class GraphPattern {
 public:
  explicit GraphPattern(const Graph& graph);

  // The number of the node that yields `value`; nothing for an input of the graph.
  std::optional<size_t> NodeOf(ValueId value) const;
  const Node* Producer(ValueId value) const;

  // The same where `value` has one reader, so that a node in its reader's place needs it no more.
  std::optional<size_t> InnerNodeOf(ValueId value) const;
  const Node* Inner(ValueId value) const;
  template <typename T>
  const Node* Inner(ValueId value) const {
    const Node* node = Inner(value);
    return node != nullptr && std::holds_alternative<T>(node->op) ? node : nullptr;
  }

  // The number of the one node that reads `value`, where nothing else does, not even an output.
  std::optional<size_t> OnlyReaderOf(ValueId value) const;

  // The operand where `value` is `function` of one value for one reader, with this alpha if one is asked for.
  std::optional<ValueId> OperandOf(ValueId value, RecipeFunction function,
                                   std::optional<float> alpha = std::nullopt) const;

  // The floats of a constant.
  const FloatTensor* Floats(ValueId value) const;
  // The float of a constant of one element.
  std::optional<float> Number(ValueId value) const;

 private:
  const Graph& graph_;
  std::vector<int> num_uses_;
  std::vector<std::optional<size_t>> last_reader_;  // by value; nothing where no node reads it
};

}  // namespace tally::quant
