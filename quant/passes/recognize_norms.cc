#include "quant/passes/recognize_norms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "quant/passes/graph_pattern.h"
#include "quant/passes/replace_nodes.h"

namespace tally::quant {
namespace {

using F = RecipeFunction;

// A bound of the least length that a vector is divided by, so that it is not 0. A larger one would be part of
// the function.
constexpr float kMostBoundOfLength = 1e-6f;

// How far a float of one through a number may be off.
constexpr double kNearOne = 1e-5;

// The divisor of a norm: sqrt(mean of x^2 over the axes + epsilon), of the sum, or of the variance of x.
struct Deviation {
  ValueId x;
  std::vector<int64_t> axes;
  float epsilon = 0;
  bool is_sum = false;
  bool is_of_variance = false;
};

// A mean along axes.
struct Mean {
  ValueId x;
  std::vector<int64_t> axes;
};

class Recognizer {
 public:
  explicit Recognizer(const Graph& graph) : graph_(graph), pattern_(graph) {}

  Replacements Run() {
    // The norm alone first, then the scale and the bias that are its only readers.
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (const auto norm = NormOf(graph_.nodes[n])) found_[n] = *norm;
    }
    for (size_t n = 0; n < graph_.nodes.size(); ++n) AddWeights<Mul>(n, 1);
    for (size_t n = 0; n < graph_.nodes.size(); ++n) AddWeights<Add>(n, 2);
    return std::move(found_);
  }

 private:
  // x, where `value` is x^2.
  std::optional<ValueId> SquareRoot(ValueId value) const {
    if (const auto x = pattern_.OperandOf(value, F::kPower, 2)) return x;
    const Node* mul = pattern_.Inner<Mul>(value);
    if (mul == nullptr || mul->operands[0] != mul->operands[1]) return std::nullopt;
    return mul->operands[0];
  }

  // The value from which `value` has been reshaped, and to which it is reshaped again.
  ValueId Unreshaped(ValueId value) const {
    ValueId source = value;
    while (const Node* node = pattern_.Producer(source)) {
      if (!std::holds_alternative<Reshape>(node->op)) break;
      source = node->operands[0];
    }
    return graph_.values[source].type == graph_.values[value].type ? source : value;
  }

  // The value that `value` is a reshape of.
  ValueId Source(ValueId value) const {
    while (const Node* node = pattern_.Producer(value)) {
      if (!std::holds_alternative<Reshape>(node->op)) break;
      value = node->operands[0];
    }
    return value;
  }

  // Whether `value` has the axes that a mean is along, with length 1, as what it is broadcast to asks for.
  bool KeepsAxes(ValueId value, const Mean& mean) const {
    Shape kept = graph_.values[mean.x].type.shape;
    for (const int64_t axis : mean.axes) kept[static_cast<size_t>(axis)] = 1;
    return graph_.values[value].type.shape == kept;
  }

  // A mean, or a sum times one through the number of its terms, with or without the axes.
  std::optional<Mean> MeanAt(ValueId value) const {
    const Node* node = pattern_.Producer(Source(value));
    double scale = 1;
    if (node != nullptr && std::holds_alternative<Mul>(node->op)) {
      const size_t i = pattern_.Number(node->operands[0]).has_value() ? 0 : 1;
      scale = pattern_.Number(node->operands[i]).value_or(0);
      node = pattern_.Producer(Source(node->operands[1 - i]));
    }
    const auto* reduction = node == nullptr ? nullptr : std::get_if<ReduceSum>(&node->op);
    if (reduction == nullptr) return std::nullopt;
    if (!reduction->is_mean) scale *= SizeAlong(node->operands[0], reduction->axes);
    if (!(std::abs(scale - 1) < kNearOne)) return std::nullopt;
    return Mean{node->operands[0], reduction->axes};
  }

  double SizeAlong(ValueId value, const std::vector<int64_t>& axes) const {
    double size = 1;
    for (const int64_t axis : axes) size *= static_cast<double>(graph_.values[value].type.shape[axis]);
    return size;
  }

  // mean(x^2), or mean(x^2) - mean(x)^2, which may be bounded by 0.
  std::optional<Deviation> SpreadAt(ValueId value) const {
    if (pattern_.Inner(value) == nullptr || pattern_.Inner(Source(value)) == nullptr) return std::nullopt;
    if (const auto mean = MeanAt(value)) {
      const auto x = SquareRoot(mean->x);
      const bool fits = x.has_value() && KeepsAxes(value, *mean);
      return fits ? std::optional(Deviation{*x, mean->axes}) : std::nullopt;
    }
    const Node* node = pattern_.Producer(Source(value));
    if (node != nullptr && IsBoundedBy0(*node)) {
      const size_t i = node->operands.size() == 2 && pattern_.Number(node->operands[0]).has_value() ? 1 : 0;
      node = pattern_.Producer(node->operands[i]);
    }
    if (node == nullptr || !std::holds_alternative<Sub>(node->op)) return std::nullopt;
    const auto squares = MeanAt(node->operands[0]);
    const auto root = Root(node->operands[1]);
    const auto mean = root.has_value() ? MeanAt(*root) : std::nullopt;
    const auto x = squares.has_value() ? Root(squares->x) : std::nullopt;
    if (!mean.has_value() || x != mean->x || squares->axes != mean->axes || !KeepsAxes(value, *mean))
      return std::nullopt;
    return Deviation{.x = *x, .axes = mean->axes, .is_of_variance = true};
  }

  bool IsBoundedBy0(const Node& node) const {
    if (std::holds_alternative<Relu>(node.op)) return true;
    if (const auto* clip = std::get_if<Clip>(&node.op))
      return clip->low == 0 && clip->high == std::numeric_limits<float>::infinity();
    return std::holds_alternative<Max>(node.op) &&
           (pattern_.Number(node.operands[0]) == 0 || pattern_.Number(node.operands[1]) == 0);
  }

  // x, where `value` is x^2, whoever else reads that.
  std::optional<ValueId> Root(ValueId value) const {
    const Node* node = pattern_.Producer(value);
    if (node == nullptr) return std::nullopt;
    if (std::holds_alternative<Mul>(node->op) && node->operands[0] == node->operands[1])
      return node->operands[0];
    const auto* power = std::get_if<Unary>(&node->op);
    const bool squares = power != nullptr && power->function == F::kPower && power->alpha == 2;
    return squares ? std::optional(node->operands[0]) : std::nullopt;
  }

  // A spread + epsilon, which only a norm divides by.
  std::optional<Deviation> MeanSquare(ValueId value) const {
    const Node* add = pattern_.Inner<Add>(value);
    if (add == nullptr) return std::nullopt;
    for (const size_t i : {0, 1}) {
      const auto epsilon = pattern_.Number(add->operands[i]);
      if (!epsilon.has_value() || !(*epsilon >= 0)) continue;
      auto deviation = SpreadAt(add->operands[1 - i]);
      if (!deviation.has_value()) continue;
      deviation->epsilon = *epsilon;
      return deviation;
    }
    return std::nullopt;
  }

  // The length of the vectors along the axes: sqrt(sum of x^2), which may be bounded and repeated along the
  // axes.
  std::optional<Deviation> LengthAt(ValueId value) const {
    if (const Node* expand = pattern_.Inner<Expand>(value)) value = expand->operands[0];
    float epsilon = 0;
    if (const Node* clip = pattern_.Inner<Clip>(value)) {
      const auto& [low, high] = std::get<Clip>(clip->op);
      if (low > kMostBoundOfLength || high != std::numeric_limits<float>::infinity()) return std::nullopt;
      value = clip->operands[0];
      if (low > 0) epsilon = low * low;
    }
    const auto square = pattern_.OperandOf(value, F::kSqrt);
    const Node* sum = square.has_value() ? pattern_.Inner<ReduceSum>(*square) : nullptr;
    if (sum == nullptr) return std::nullopt;
    const ReduceSum& reduction = std::get<ReduceSum>(sum->op);
    const auto x = SquareRoot(sum->operands[0]);
    if (reduction.is_mean || !reduction.keep_dimensions || !x.has_value()) return std::nullopt;
    return Deviation{*x, reduction.axes, epsilon, /*is_sum=*/true};
  }

  std::optional<Deviation> DeviationAt(ValueId value) const {
    auto square = pattern_.OperandOf(value, F::kSqrt);
    if (!square.has_value()) square = pattern_.OperandOf(value, F::kPower, 0.5f);
    return square.has_value() ? MeanSquare(*square) : std::nullopt;
  }

  std::optional<Deviation> ReciprocalDeviationAt(ValueId value) const {
    const Node* node = pattern_.Inner(value);
    return node == nullptr ? std::nullopt : ReciprocalDeviationOf(*node);
  }
  std::optional<Deviation> ReciprocalDeviationOf(const Node& node) const {
    if (const auto* unary = std::get_if<Unary>(&node.op)) {
      const ValueId operand = node.operands[0];
      if (unary->function == F::kReciprocal) return DeviationAt(operand);
      const bool is_root =
          unary->function == F::kRsqrt || (unary->function == F::kPower && unary->alpha == -0.5f);
      return is_root ? MeanSquare(operand) : std::nullopt;
    }
    const bool inverts = std::holds_alternative<Div>(node.op) && pattern_.Number(node.operands[0]) == 1.0f;
    return inverts ? DeviationAt(node.operands[1]) : std::nullopt;
  }

  // The same values, computed once or twice.
  bool IsSame(ValueId a, ValueId b, int layers = 3) const {
    a = Unreshaped(a);
    b = Unreshaped(b);
    if (a == b) return true;
    const Node *x = pattern_.Producer(a), *y = pattern_.Producer(b);
    if (layers == 0 || x == nullptr || y == nullptr || x->operands.empty() || !(x->op == y->op)) return false;
    return std::ranges::equal(x->operands, y->operands,
                              [&](ValueId i, ValueId j) { return IsSame(i, j, layers - 1); });
  }

  std::optional<Replacement> NormOf(const Node& node) const {
    if (std::holds_alternative<Div>(node.op)) {
      auto deviation = DeviationAt(node.operands[1]);
      if (!deviation.has_value()) deviation = LengthAt(node.operands[1]);
      return deviation.has_value() ? Normalized(node, node.operands[0], *deviation) : std::nullopt;
    }
    if (std::holds_alternative<Add>(node.op)) return SpreadOutNorm(node);
    if (!std::holds_alternative<Mul>(node.op)) return std::nullopt;
    for (const size_t i : {0, 1}) {
      ValueId factor = node.operands[i];
      auto deviation = ReciprocalDeviationAt(factor);
      std::optional<ValueId> scale;
      if (const Node* mul = pattern_.Inner<Mul>(factor); !deviation.has_value() && mul != nullptr) {
        const size_t constant = pattern_.Floats(mul->operands[0]) != nullptr ? 0 : 1;
        if (pattern_.Floats(mul->operands[constant]) == nullptr) continue;
        scale = mul->operands[constant];
        deviation = ReciprocalDeviationAt(mul->operands[1 - constant]);
      }
      if (!deviation.has_value()) continue;
      auto norm = Normalized(node, node.operands[1 - i], *deviation);
      if (!norm.has_value() || (scale.has_value() && !norm->constants.empty())) continue;
      if (scale.has_value()) norm->operands.push_back(*scale);
      return norm;
    }
    return std::nullopt;
  }

  // x k + (bias - mean(x) k) with k = scale / deviation(x), as Keras writes a LayerNorm.
  std::optional<Replacement> SpreadOutNorm(const Node& sum) const {
    for (const size_t i : {0, 1}) {
      const Node* product = pattern_.Inner<Mul>(sum.operands[i]);
      const Node* rest = pattern_.Inner<Sub>(sum.operands[1 - i]);
      const Node* shift = rest == nullptr ? nullptr : pattern_.Inner<Mul>(rest->operands[1]);
      if (product == nullptr || shift == nullptr || pattern_.Floats(rest->operands[0]) == nullptr) continue;
      for (const auto& [j, k] : {std::pair(0, 0), {0, 1}, {1, 0}, {1, 1}}) {
        if (product->operands[j] != shift->operands[k]) continue;
        const ValueId x = product->operands[1 - j];
        const auto mean = MeanAt(shift->operands[1 - k]);
        if (!mean.has_value() || mean->x != x || !KeepsAxes(shift->operands[1 - k], *mean) ||
            graph_.values[x].type != graph_.values[sum.result].type) {
          continue;
        }
        if (auto norm = ScaledNorm(x, *mean, product->operands[j])) {
          norm->constants.push_back(*pattern_.Floats(rest->operands[0]));
          return norm;
        }
      }
    }
    return std::nullopt;
  }

  // The LayerNorm of x whose scale and deviation `factor` is: a constant over the deviation, or one over it.
  std::optional<Replacement> ScaledNorm(ValueId x, const Mean& mean, ValueId factor) const {
    const Node* node = pattern_.Producer(factor);
    if (node == nullptr) return std::nullopt;
    FloatTensor scale{{1}, {1}};
    if (std::holds_alternative<Mul>(node->op)) {
      const size_t constant = pattern_.Floats(node->operands[0]) != nullptr ? 0 : 1;
      const FloatTensor* floats = pattern_.Floats(node->operands[constant]);
      node = pattern_.Inner(node->operands[1 - constant]);
      if (floats == nullptr || node == nullptr) return std::nullopt;
      scale = *floats;
    }
    const auto deviation = ReciprocalDeviationOf(*node);
    if (!deviation.has_value() || deviation->is_sum || deviation->axes != mean.axes) return std::nullopt;
    const auto centred =
        deviation->is_of_variance ? std::optional(deviation->x) : Decentred(deviation->x, mean.axes);
    if (centred != x) return std::nullopt;
    return Replacement{LayerNorm{mean.axes, deviation->epsilon}, {x}, {std::move(scale)}};
  }

  // value / deviation
  std::optional<Replacement> Normalized(const Node& node, ValueId value, const Deviation& deviation) const {
    if (deviation.is_of_variance ? Decentred(value, deviation.axes) != deviation.x
                                 : !IsSame(value, deviation.x)) {
      return std::nullopt;
    }
    Replacement norm = {RmsNorm{deviation.axes, deviation.epsilon}, {value}};
    if (deviation.is_sum) {
      const double size = SizeAlong(value, deviation.axes);
      norm.op = RmsNorm{deviation.axes, static_cast<float>(deviation.epsilon / size)};
      norm.constants = {{{1}, {static_cast<float>(1 / std::sqrt(size))}}};
    } else if (const auto x = Decentred(value, deviation.axes)) {
      norm = {LayerNorm{deviation.axes, deviation.epsilon}, {*x}};
    }
    if (graph_.values[norm.operands[0]].type != graph_.values[node.result].type) return std::nullopt;
    return norm;
  }

  // x, where `value` is x - mean(x).
  std::optional<ValueId> Decentred(ValueId value, const std::vector<int64_t>& axes) const {
    const Node* sub = pattern_.Producer(value);
    if (sub == nullptr || !std::holds_alternative<Sub>(sub->op)) return std::nullopt;
    const auto mean = MeanAt(sub->operands[1]);
    if (!mean.has_value() || mean->axes != axes || mean->x != sub->operands[0] ||
        !KeepsAxes(sub->operands[1], *mean)) {
      return std::nullopt;
    }
    return sub->operands[0];
  }

  // Weight `index` of a norm, where node n is T of it and a constant that broadcasts to it.
  template <typename T>
  void AddWeights(size_t n, size_t index) {
    const Node& node = graph_.nodes[n];
    if (!std::holds_alternative<T>(node.op)) return;
    for (const size_t i : {0, 1}) {
      const ValueId value = node.operands[i], weight = node.operands[1 - i];
      const auto producer = pattern_.InnerNodeOf(value);
      if (!producer.has_value() || pattern_.Floats(weight) == nullptr) continue;
      const auto norm = found_.find(*producer);
      if (norm == found_.end() || graph_.values[value].type != graph_.values[node.result].type) continue;
      if (norm->second.operands.size() != index || !norm->second.constants.empty()) continue;
      Replacement whole = norm->second;
      whole.operands.push_back(weight);
      found_.erase(norm);
      found_[n] = std::move(whole);
      return;
    }
  }

  const Graph& graph_;
  const GraphPattern pattern_;
  Replacements found_;
};

}  // namespace

absl::StatusOr<Graph> RecognizeNorms(const Graph& graph) {
  return ReplaceNodes(graph, Recognizer(graph).Run());
}

}  // namespace tally::quant
