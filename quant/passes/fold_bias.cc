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
  // Lets node n, value + bias, be a linear layer with that bias or its reshaped result.
  bool Fold(size_t n, const Node& sum, ValueId value, ValueId bias) {
    if (graph_.values[value].type != graph_.values[sum.result].type) return false;
    std::optional<size_t> layer = pattern_.InnerNodeOf(value);
    if (!layer.has_value()) return false;
    const Node& last = graph_.nodes[*layer];
    const Shape& shape = graph_.values[value].type.shape;
    if (std::holds_alternative<Reshape>(last.op)) {
      layer = pattern_.InnerNodeOf(last.operands[0]);
      if (!layer.has_value()) return false;
    }
    const Node& linear = graph_.nodes[*layer];
    const std::optional<size_t> axis = ChannelAxis(linear, shape);
    if (!axis.has_value() || linear.operands.size() != 2 ||
        ConstantOf(graph_, linear.operands[1]) == nullptr) {
      return false;
    }
    const std::optional<FloatTensor> list = ListAlong(*axis, shape, bias);
    if (!list.has_value()) return false;
    Replacement with_bias = {linear.op, linear.operands, {*list}};
    if (&last == &linear) {
      found_[n] = std::move(with_bias);
    } else {
      found_[*layer] = std::move(with_bias);
      found_[n] = {last.op, last.operands};
    }
    return true;
  }

  // The axis of `shape`, that of the layer's result or of a reshape of it, along which it adds a bias. A
  // reshape may add or drop axes of 1 alone, or what comes before the last axis of a dense layer.
  std::optional<size_t> ChannelAxis(const Node& linear, const Shape& shape) const {
    const Shape& own = graph_.values[linear.result].type.shape;
    if (std::holds_alternative<Dense>(linear.op)) {
      if (shape.empty() || own.back() != shape.back()) return std::nullopt;
      return shape.size() - 1;
    }
    const bool is_conv =
        std::holds_alternative<Conv>(linear.op) || std::holds_alternative<ConvTranspose>(linear.op);
    if (!is_conv || shape.size() < 2 || own[0] != shape[0] || own[1] != shape[1]) return std::nullopt;
    return 1;
  }

  // A constant that broadcasts to `shape` and differs along `axis` alone, as a list.
  std::optional<FloatTensor> ListAlong(size_t axis, const Shape& shape, ValueId value) const {
    const FloatTensor* constant = pattern_.Floats(value);
    if (constant == nullptr || constant->shape.size() > shape.size()) return std::nullopt;
    const size_t missing = shape.size() - constant->shape.size();
    for (size_t i = 0; i < constant->shape.size(); ++i) {
      if (constant->shape[i] != 1 && i + missing != axis) return std::nullopt;
    }
    FloatTensor list{{shape[axis]}, constant->data};
    if (list.data.size() == 1) list.data.assign(static_cast<size_t>(shape[axis]), list.data[0]);
    return list;
  }

  const Graph& graph_;
  const GraphPattern pattern_;
  Replacements found_;
};

}  // namespace

absl::StatusOr<Graph> FoldBias(const Graph& graph) { return ReplaceNodes(graph, Folder(graph).Run()); }

}  // namespace tally::quant
