#include "quant/passes/fold_bias.h"

#include <optional>
#include <utility>
#include <vector>

#include "quant/passes/graph_pattern.h"
#include "quant/passes/replace_nodes.h"

namespace tally::quant {
namespace {

class Folder {
 public:
  explicit Folder(const Graph& graph) : graph_(graph), pattern_(graph) {}

  Replacements Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& sum = graph_.nodes[n];
      if (!std::holds_alternative<Add>(sum.op)) continue;
      for (const size_t i : {0, 1}) {
        if (Fold(n, sum, sum.operands[i], sum.operands[1 - i])) break;
      }
    }
    return std::move(found_);
  }

 private:
  // Lets node n, value + bias, be a dense layer with that bias or its reshaped result.
  bool Fold(size_t n, const Node& sum, ValueId value, ValueId bias) {
    if (ConstantOf(graph_, bias) == nullptr || graph_.values[value].type != graph_.values[sum.result].type) {
      return false;
    }
    const Shape& shape = graph_.values[value].type.shape;
    if (shape.empty() || graph_.values[bias].type.shape != Shape{shape.back()}) return false;
    std::optional<size_t> layer = pattern_.InnerNodeOf(value);
    if (!layer.has_value()) return false;
    const Node& last = graph_.nodes[*layer];
    if (std::holds_alternative<Reshape>(last.op)) {
      layer = pattern_.InnerNodeOf(last.operands[0]);
      if (!layer.has_value() || graph_.values[last.operands[0]].type.shape.back() != shape.back())
        return false;
    }
    const Node& dense = graph_.nodes[*layer];
    if (!std::holds_alternative<Dense>(dense.op) || dense.operands.size() != 2) return false;
    const Replacement with_bias = {dense.op, {dense.operands[0], dense.operands[1], bias}};
    if (&last == &dense) {
      found_[n] = with_bias;
    } else {
      found_[*layer] = with_bias;
      found_[n] = {last.op, last.operands};
    }
    return true;
  }

  const Graph& graph_;
  const GraphPattern pattern_;
  Replacements found_;
};

}  // namespace

absl::StatusOr<Graph> FoldBias(const Graph& graph) { return ReplaceNodes(graph, Folder(graph).Run()); }

}  // namespace tally::quant
