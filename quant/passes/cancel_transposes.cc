#include "quant/passes/cancel_transposes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "quant/graph/float_executor.h"
#include "quant/graph/move_codes.h"
#include "quant/passes/graph_rewriter.h"

namespace tally::quant {
namespace {

using Order = std::vector<int64_t>;

bool IsSorted(const Order& order) { return std::ranges::is_sorted(order); }

Order Inverse(const Order& order) {
  Order inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return inverse;
}

// `list`, by axis of what is transposed by `order`, by axis of what it was.
std::vector<int64_t> Before(const std::vector<int64_t>& list, const Order& order) {
  std::vector<int64_t> before(list.size());
  for (size_t i = 0; i < list.size(); ++i) before[static_cast<size_t>(order[i])] = list[i];
  return before;
}

// Whether the axes of more than one element keep their sequence.
bool MovesNothing(const Shape& from, const Order& order) {
  int64_t last = -1;
  for (const int64_t axis : order) {
    if (from[static_cast<size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

template <typename T, typename... Ops>
constexpr bool kIsOneOf = (std::is_same_v<T, Ops> || ...);

// Operators that compute each element of a result from the elements at the same place.
template <typename T>
constexpr bool kIsPointwise =
    kIsOneOf<T, Add, Sub, Mul, Div, Max, Min, Unary, Slopes, Relu, Clip, FakeQuantize, ToFloat, ToInteger,
             Compare, IntegerArithmetic, Where, Lookup>;

// The operator on operands in the order before a transpose by `order`, which its result then has; nothing of
// one that looks at places in another way.
std::optional<Op> BeforeTranspose(const Op& op, const Order& order) {
  const auto along = [&](int64_t axis) { return order[static_cast<size_t>(axis)]; };
  return std::visit(
      [&]<typename T>(T same) -> std::optional<Op> {
        if constexpr (kIsPointwise<T>) return same;
        if constexpr (kIsOneOf<T, Softmax, LogSoftmax, Concat, CumulativeSum>) {
          same.axis = along(same.axis);
          return same;
        }
        if constexpr (kIsOneOf<T, ReduceSum, ReduceExtreme>) {
          for (int64_t& axis : same.axes) axis = along(axis);
          std::ranges::sort(same.axes);
          return same;
        }
        if constexpr (kIsOneOf<T, Slice>)
          return Slice{Before(same.begin, order), Before(same.end, order), Before(same.step, order)};
        if constexpr (kIsOneOf<T, Pad, PadConstant>) {
          same.before = Before(same.before, order);
          same.after = Before(same.after, order);
          return same;
        }
        return std::nullopt;
      },
      op);
}

class Canceller {
 public:
  explicit Canceller(const Graph& graph) : graph_(graph), rewriter_(graph), moved_(graph.values.size()) {}

  absl::StatusOr<Graph> Run() && {
    RETURN_IF_ERROR(rewriter_.AddInputs());
    for (const Node& node : graph_.nodes) RETURN_IF_ERROR(Rewrite(node));
    for (const Output& output : graph_.outputs) RETURN_IF_ERROR(Materialize(output.value));
    return std::move(rewriter_).Build();
  }

 private:
  // A value of the old graph as a transpose of one of the new graph.
  struct Transposed {
    ValueId of = 0;
    Order order;
    bool has_name = false;  // `of` has the name of the value
  };

  const Shape& ShapeOf(ValueId value) const { return graph_.values[value].type.shape; }

  absl::Status Rewrite(const Node& node) {
    if (const auto* transpose = std::get_if<Transpose>(&node.op)) {
      const ValueId x = node.operands[0];
      if (moved_[x].has_value()) {
        Transposed whole = {.of = moved_[x]->of};
        for (const int64_t axis : transpose->permutation) {
          whole.order.push_back(moved_[x]->order[static_cast<size_t>(axis)]);
        }
        return Set(node.result, std::move(whole));
      }
      if (ConstantOf(graph_, x) != nullptr) return rewriter_.Copy(node);
      ASSIGN_OR_RETURN(const ValueId of, rewriter_.ValueInNewGraph(x));
      return Set(node.result, {.of = of, .order = transpose->permutation});
    }
    const Order* order = CommonOrder(node);
    const std::optional<Op> op = order == nullptr ? std::nullopt : BeforeTranspose(node.op, *order);
    if (op.has_value()) return Move(node, *op, *order);
    for (const ValueId operand : node.operands) RETURN_IF_ERROR(Materialize(operand));
    return rewriter_.Copy(node);
  }

  // That of all operands but constants and single elements, of which there is one at least; else nothing.
  const Order* CommonOrder(const Node& node) const {
    const Order* common = nullptr;
    for (const ValueId operand : node.operands) {
      if (IsSingle(operand) || ConstantOf(graph_, operand) != nullptr) continue;
      if (!moved_[operand].has_value() || ShapeOf(operand).size() != ShapeOf(node.result).size())
        return nullptr;
      if (common != nullptr && *common != moved_[operand]->order) return nullptr;
      common = &moved_[operand]->order;
    }
    return common;
  }

  bool IsSingle(ValueId value) const { return NumElements(ShapeOf(value)) == 1; }

  // `node` as `op` on what its operands were before they were transposed.
  absl::Status Move(const Node& node, const Op& op, const Order& order) {
    std::vector<ValueId> operands;
    for (const ValueId operand : node.operands) {
      ValueId before = 0;
      if (ConstantOf(graph_, operand) != nullptr && !IsSingle(operand)) {
        ASSIGN_OR_RETURN(before, ConstantBefore(operand, order));
      } else if (moved_[operand].has_value() && !IsSingle(operand)) {
        before = moved_[operand]->of;
      } else {
        RETURN_IF_ERROR(Materialize(operand));
        ASSIGN_OR_RETURN(before, rewriter_.ValueInNewGraph(operand));
      }
      operands.push_back(before);
    }
    ASSIGN_OR_RETURN(
        const ValueId result,
        rewriter_.builder().AddNode(op, std::move(operands), rewriter_.NameOf(node.result), node.source));
    return Set(node.result, {.of = result, .order = order, .has_name = true});
  }

  // A constant that broadcasts to what has `order`, as one that broadcasts to what it was.
  absl::StatusOr<ValueId> ConstantBefore(ValueId value, const Order& order) {
    const Tensor& constant = *ConstantOf(graph_, value);
    Shape full(order.size() - ShapeOf(value).size(), 1);
    full.insert(full.end(), ShapeOf(value).begin(), ShapeOf(value).end());
    const Op steps[] = {Reshape{full}, Transpose{Inverse(order)}};
    auto tensor = std::make_shared<const Tensor>(constant);
    std::shared_ptr<const ConstantCodes> codes;
    if (const ConstantCodes* known = CodesOf(graph_, value))
      codes = std::make_shared<const ConstantCodes>(*known);
    for (const Op& step : steps) {
      ValueType type = TypeOf(*tensor);
      const Shape from = type.shape;
      type.shape = std::holds_alternative<Reshape>(step) ? full : Before(full, order);
      const Tensor* const operands[] = {tensor.get()};
      if (codes != nullptr) codes = MovedCodes(*codes, step, from, type);
      tensor = std::make_shared<const Tensor>(EvaluateNode(step, operands, type));
    }
    return rewriter_.builder().AddConstant(rewriter_.FreeName(rewriter_.NameOf(value)), tensor, codes);
  }

  absl::Status Set(ValueId value, Transposed transposed) {
    if (IsSorted(transposed.order)) {
      rewriter_.Replace(value, transposed.of);
    } else {
      moved_[value] = std::move(transposed);
    }
    return absl::OkStatus();
  }

  // For readers that want the value as it was.
  absl::Status Materialize(ValueId value) {
    if (!moved_[value].has_value()) return absl::OkStatus();
    const auto [of, order, has_name] = *moved_[value];
    const std::string& name = rewriter_.NameOf(value);
    const Value& from = rewriter_.builder().graph().values[of];
    const Op op = MovesNothing(from.type.shape, order) ? Op(Reshape{ShapeOf(value)}) : Op(Transpose{order});
    const std::string& source = graph_.nodes[graph_.values[value].producer].source;
    ASSIGN_OR_RETURN(
        const ValueId transposed,
        rewriter_.builder().AddNode(op, {of}, has_name ? rewriter_.FreeName(name) : name, source));
    rewriter_.Replace(value, transposed);
    moved_[value].reset();
    return absl::OkStatus();
  }

  const Graph& graph_;
  GraphRewriter rewriter_;
  std::vector<std::optional<Transposed>> moved_;  // by value of graph_, where it has to be materialized
};

int64_t ElementsTransposed(const Graph& graph) {
  int64_t elements = 0;
  for (const Node& node : graph.nodes) {
    if (std::holds_alternative<Transpose>(node.op))
      elements += NumElements(graph.values[node.result].type.shape);
  }
  return elements;
}

}  // namespace

absl::StatusOr<Graph> CancelTransposes(const Graph& graph) {
  ASSIGN_OR_RETURN(Graph moved, Canceller(graph).Run());
  if (ElementsTransposed(moved) < ElementsTransposed(graph)) return moved;
  return graph;
}

}  // namespace tally::quant
