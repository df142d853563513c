#include "quant/equalize/channel_groups.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "quant/passes/graph_pattern.h"

namespace tally::quant {
namespace {

template <typename T, typename... Ts>
constexpr bool kIsOneOf = (std::is_same_v<T, Ts> || ...);

class Finder {
 public:
  explicit Finder(const Graph& graph)
      : graph_(graph), pattern_(graph), uses_(NumUses(graph)), axes_(graph.values.size()) {
    parents_.resize(graph.values.size());
    std::iota(parents_.begin(), parents_.end(), 0);
    frozen_.resize(graph.values.size(), false);
  }

  ChannelGroups Find() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!Follow(n)) Freeze(graph_.nodes[n]);
    }
    for (const Output& output : graph_.outputs) frozen_[Root(output.value)] = true;
    return Collect();
  }

 private:
  // A constant with the values whose groups its factors come from.
  struct Found {
    ScaledConstant constant;
    std::optional<ValueId> in, out;
  };

  const Shape& ShapeOfValue(ValueId value) const { return graph_.values[value].type.shape; }

  size_t Root(ValueId value) {
    size_t root = value;
    while (parents_[root] != root) root = parents_[root] = parents_[parents_[root]];
    return root;
  }

  // The readers of `node`'s operands have no use for factors.
  void Freeze(const Node& node) {
    for (const ValueId operand : node.operands) frozen_[Root(operand)] = true;
  }

  // Lets the result have the channels of an operand, along `axis`.
  bool Pass(ValueId from, ValueId result, size_t axis) {
    if (axes_[result].has_value() && axes_[result] != axis) return false;
    axes_[result] = axis;
    const size_t a = Root(from), b = Root(result);
    frozen_[a] = frozen_[a] || frozen_[b];
    parents_[b] = a;
    return true;
  }

  // The floats of a constant that has one reader and no codes of its own.
  const FloatTensor* Own(ValueId value) const {
    const FloatTensor* floats = pattern_.Floats(value);
    return floats != nullptr && uses_[value] == 1 && CodesOf(graph_, value) == nullptr ? floats : nullptr;
  }

  // Whether node n is one whose operands and result belong to groups, or could.
  bool Follow(size_t n) {
    const Node& node = graph_.nodes[n];
    return std::visit([&](const auto& op) { return FollowOp(op, n, node); }, node.op);
  }

  template <typename T>
  bool FollowOp(const T&, size_t, const Node& node) {
    // Elements are computed one by one, or in windows of one channel, and y(c x) = c y(x).
    constexpr bool kKeepsPlace = kIsOneOf<T, Relu, Slopes>;
    constexpr bool kOfImages = kIsOneOf<T, MaxPool, AveragePool, GlobalAveragePool, Resize>;
    if constexpr (kKeepsPlace || kOfImages) {
      const auto axis = axes_[node.operands[0]];
      return axis.has_value() && (kKeepsPlace || *axis == 1) && Pass(node.operands[0], node.result, *axis);
    }
    return false;
  }

  bool FollowOp(const Constant&, size_t, const Node&) { return true; }
  bool FollowOp(const Conv& op, size_t n, const Node& node) {
    return FollowLayer(n, node, 1, {ChannelLayout::Kind::kOutIn, op.groups});
  }
  bool FollowOp(const ConvTranspose& op, size_t n, const Node& node) {
    return FollowLayer(n, node, 1, {ChannelLayout::Kind::kInOut, op.groups});
  }
  bool FollowOp(const Dense&, size_t n, const Node& node) {
    return FollowLayer(n, node, 1, {ChannelLayout::Kind::kOutIn});
  }
  bool FollowOp(const MatMul&, size_t n, const Node& node) {
    const bool by_weights =
        pattern_.Floats(node.operands[1]) != nullptr && ShapeOfValue(node.operands[1]).size() == 2;
    const size_t last = ShapeOfValue(node.result).size() - 1;
    return by_weights && FollowLayer(n, node, last, {ChannelLayout::Kind::kInOut});
  }

  // Weights and a bias; channels of both sides are along `axis`.
  bool FollowLayer(size_t n, const Node& node, size_t axis, const ChannelLayout& layout) {
    const bool has_bias = node.operands.size() > 2;
    if (Own(node.operands[1]) == nullptr || (has_bias && Own(node.operands[2]) == nullptr)) return false;
    const ValueId x = node.operands[0];
    const bool reads = axes_[x] == axis;
    if (!reads) frozen_[Root(x)] = true;
    axes_[node.result] = axis;
    found_.push_back(
        {{node.operands[1], n, {}, {}, layout}, reads ? std::optional(x) : std::nullopt, node.result});
    if (has_bias) found_.push_back({{node.operands[2], n}, std::nullopt, node.result});
    return true;
  }

  bool FollowOp(const LayerNorm& op, size_t n, const Node& node) { return FollowNorm(op.axes, n, node); }
  bool FollowOp(const RmsNorm& op, size_t n, const Node& node) { return FollowNorm(op.axes, n, node); }

  // The result of a norm is a multiple of its scale, plus its offset.
  bool FollowNorm(const std::vector<int64_t>& axes, size_t n, const Node& node) {
    const size_t last = ShapeOfValue(node.result).size() - 1;
    if (axes != std::vector{static_cast<int64_t>(last)} || node.operands.size() < 2) return false;
    for (size_t i = 1; i < node.operands.size(); ++i) {
      const FloatTensor* list = Own(node.operands[i]);
      if (list == nullptr || list->shape != Shape{ShapeOfValue(node.result)[last]}) return false;
    }
    frozen_[Root(node.operands[0])] = true;
    axes_[node.result] = last;
    for (size_t i = 1; i < node.operands.size(); ++i) {
      found_.push_back({{node.operands[i], n}, std::nullopt, node.result});
    }
    return true;
  }

  bool FollowOp(const Add&, size_t n, const Node& node) { return FollowSum(n, node); }
  bool FollowOp(const Sub&, size_t n, const Node& node) { return FollowSum(n, node); }

  bool FollowSum(size_t n, const Node& node) {
    const auto [a, b] = std::pair(node.operands[0], node.operands[1]);
    if (pattern_.Floats(b) != nullptr) return FollowConstant(n, node, a, b, /*multiplies=*/false);
    if (pattern_.Floats(a) != nullptr) return FollowConstant(n, node, b, a, /*multiplies=*/false);
    const bool alike = axes_[a].has_value() && axes_[a] == axes_[b] && ShapeOfValue(a) == ShapeOfValue(b);
    return alike && Pass(a, b, *axes_[a]) && Pass(a, node.result, *axes_[a]);
  }

  bool FollowOp(const Mul&, size_t n, const Node& node) {
    for (const size_t i : {0, 1}) {
      if (pattern_.Floats(node.operands[1 - i]) != nullptr)
        return FollowConstant(n, node, node.operands[i], node.operands[1 - i], /*multiplies=*/true);
    }
    return false;
  }

  // x times a constant, or plus one, which has a number for each channel or one for all.
  bool FollowConstant(size_t n, const Node& node, ValueId x, ValueId constant, bool multiplies) {
    const FloatTensor* numbers = Own(constant);
    const Shape& shape = ShapeOfValue(node.result);
    if (numbers == nullptr || shape != ShapeOfValue(x)) return false;
    auto axis = axes_[x];
    if (!axis.has_value() && multiplies && (shape.size() == 4 || shape.size() == 5)) axis = 1;
    if (!axis.has_value()) return false;
    Found found = {{constant, n}, std::nullopt, node.result};
    const size_t inner = shape.size() - *axis;  // dimensions from the channels on
    if (numbers->data.size() == 1) {
      found.constant.grown = Shape(inner, 1);
      found.constant.grown[0] = shape[*axis];
      found.constant.layout.axis = 0;
    } else {
      const Shape& own = numbers->shape;
      const bool by_channel = own.size() >= inner && own[own.size() - inner] == shape[*axis] &&
                              static_cast<int64_t>(numbers->data.size()) == shape[*axis];
      if (!by_channel) return false;
      found.constant.layout.axis = own.size() - inner;
    }
    if (!multiplies) {
      found_.push_back(found);
      return Pass(x, node.result, *axis);
    }
    if (axes_[x].has_value()) found.in = x;
    axes_[node.result] = axis;
    found_.push_back(found);
    return true;
  }

  bool FollowOp(const Reshape&, size_t, const Node& node) {
    const auto axis = axes_[node.operands[0]];
    if (!axis.has_value()) return false;
    const Shape &from = ShapeOfValue(node.operands[0]), &to = ShapeOfValue(node.result);
    for (size_t d = 0; d < to.size(); ++d) {
      if (to[d] == from[*axis] && InnerSize(to, d) == InnerSize(from, *axis))
        return Pass(node.operands[0], node.result, d);
    }
    return false;
  }

  bool FollowOp(const Transpose& op, size_t, const Node& node) {
    const auto axis = axes_[node.operands[0]];
    if (!axis.has_value()) return false;
    const auto to = std::ranges::find(op.permutation, static_cast<int64_t>(*axis));
    return Pass(node.operands[0], node.result, static_cast<size_t>(to - op.permutation.begin()));
  }

  bool FollowOp(const Pad& op, size_t, const Node& node) {
    const auto axis = axes_[node.operands[0]];
    return axis.has_value() && op.before[*axis] == 0 && op.after[*axis] == 0 &&
           Pass(node.operands[0], node.result, *axis);
  }

  bool FollowOp(const Slice&, size_t, const Node& node) {
    const auto axis = axes_[node.operands[0]];
    return axis.has_value() && ShapeOfValue(node.operands[0])[*axis] == ShapeOfValue(node.result)[*axis] &&
           Pass(node.operands[0], node.result, *axis);
  }

  bool FollowOp(const Concat& op, size_t, const Node& node) {
    const auto axis = axes_[node.operands[0]];
    if (!axis.has_value() || static_cast<int64_t>(*axis) == op.axis) return false;
    for (const ValueId operand : node.operands) {
      if (axes_[operand] != axis || !Pass(node.operands[0], operand, *axis)) return false;
    }
    return Pass(node.operands[0], node.result, *axis);
  }

  ChannelGroups Collect() {
    ChannelGroups groups;
    std::unordered_map<size_t, size_t> places;  // by root
    for (const Found& found : found_) {         // a group is what some constant makes
      if (!found.out.has_value()) continue;
      const size_t root = Root(*found.out);
      if (frozen_[root] || places.contains(root)) continue;
      places[root] = groups.list.size();
      const Value& value = graph_.values[*found.out];
      groups.list.push_back({value.name, value.type.shape[*axes_[*found.out]], {}});
    }
    const auto place_of = [&](const std::optional<ValueId>& value) -> std::optional<size_t> {
      if (!value.has_value()) return std::nullopt;
      const auto place = places.find(Root(*value));
      return place == places.end() ? std::nullopt : std::optional(place->second);
    };
    for (Found& found : found_) {
      found.constant.in = place_of(found.in);
      found.constant.out = place_of(found.out);
      if (found.constant.in.has_value())
        groups.list[*found.constant.in].reads.push_back({*found.in, *axes_[*found.in]});
      if (found.constant.in.has_value() || found.constant.out.has_value())
        groups.constants.push_back(found.constant);
    }
    return groups;
  }

  const Graph& graph_;
  const GraphPattern pattern_;
  const std::vector<int> uses_;
  std::vector<std::optional<size_t>> axes_;  // by value: of its channels, where it may be in a group
  std::vector<size_t> parents_;              // by value: another one of its group; itself for the root
  std::vector<bool> frozen_;                 // by root
  std::vector<Found> found_;
};

}  // namespace

int64_t InnerSize(const Shape& shape, size_t axis) {
  return std::accumulate(shape.begin() + static_cast<int64_t>(axis) + 1, shape.end(), int64_t{1},
                         std::multiplies<>());
}

ChannelLayout::Channels ChannelLayout::Of(int64_t element, const Shape& shape) const {
  if (kind == Kind::kByAxis) {
    const int64_t channel = element / InnerSize(shape, axis) % shape[axis];
    return {channel, channel};
  }
  const int64_t taps = InnerSize(shape, 1), first = element / (shape[1] * taps);
  const int64_t second = element / taps % shape[1], of_group = shape[0] / groups;
  const int64_t other = first / of_group * shape[1] + second;
  return kind == Kind::kOutIn ? Channels{other, first} : Channels{first, other};
}

FloatTensor WithChannels(const ScaledConstant& constant, FloatTensor elements) {
  if (constant.grown.empty()) return elements;
  const auto count = static_cast<size_t>(NumElements(constant.grown));
  return {constant.grown, std::vector<float>(count, elements.data[0])};
}

ChannelGroups FindChannelGroups(const Graph& graph) { return Finder(graph).Find(); }

}  // namespace tally::quant
