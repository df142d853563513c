#include "quant/passes/recognize_activations.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "quant/passes/graph_pattern.h"
#include "quant/passes/replace_nodes.h"

namespace tally::quant {
namespace {

using F = RecipeFunction;

bool IsNear(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

// scale * factors[0] * factors[1] * ..
struct Product {
  double scale = 1;
  std::vector<ValueId> factors;
};

// addend + term
struct Sum {
  double addend;
  ValueId term;
};

bool IsNegative(const Node* node) {
  const auto* slopes = node == nullptr ? nullptr : std::get_if<Slopes>(&node->op);
  return slopes != nullptr && slopes->above == -1 && slopes->below == -1;
}

class Recognizer {
 public:
  explicit Recognizer(const Graph& graph) : graph_(graph), pattern_(graph) {}

  Replacements Run() const {
    Replacements found;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      const auto found_here = [&](Op op, ValueId x) {
        if (graph_.values[x].type == graph_.values[node.result].type) found[n] = {std::move(op), {x}};
      };
      if (const auto logistic = Logistic(node)) {
        found_here(logistic->first, logistic->second);
        continue;
      }
      if (!std::holds_alternative<Mul>(node.op)) continue;
      const Product product = ProductOf(node);
      if (const auto activation = ActivationOf(product)) {
        found_here(activation->first, activation->second);
      } else if (const auto bounded = NegatedClip(product)) {
        found_here(bounded->first, bounded->second);
      }
    }
    return found;
  }

 private:
  using Activation = std::pair<Unary, ValueId>;

  // A product of as many multiplications as any activation has; a longer chain is not walked again from
  // each of its ends.
  Product ProductOf(const Node& node) const {
    int most = 6;
    Product product = {.scale = IsNegative(&node) ? -1.0 : 1.0, .factors = {}};
    std::vector<ValueId> open = node.operands;
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      const Node* inner = pattern_.Inner(value);
      if (const auto number = pattern_.Number(value)) {
        product.scale *= *number;
      } else if (inner != nullptr && std::holds_alternative<Mul>(inner->op) && most-- > 0) {
        open.insert(open.end(), inner->operands.begin(), inner->operands.end());
      } else if (IsNegative(inner) && most-- > 0) {
        product.scale = -product.scale;
        open.push_back(inner->operands[0]);
      } else {
        product.factors.push_back(value);
      }
    }
    return product;
  }
  Product ProductOf(ValueId value) const {
    const Node* inner = pattern_.Inner(value);
    const bool multiplies = inner != nullptr && std::holds_alternative<Mul>(inner->op);
    if (multiplies || IsNegative(inner)) return ProductOf(*inner);
    return {1, {value}};
  }

  std::optional<Sum> SumOf(ValueId value) const {
    const Node* add = pattern_.Inner(value);
    if (add == nullptr || !std::holds_alternative<Add>(add->op)) return std::nullopt;
    for (const size_t i : {0, 1}) {
      if (const auto addend = pattern_.Number(add->operands[i])) return Sum{*addend, add->operands[1 - i]};
    }
    return std::nullopt;
  }

  // x where `value` is 1 + exp(-x).
  std::optional<ValueId> LogisticDivisor(ValueId value) const {
    const auto sum = SumOf(value);
    if (!sum.has_value() || sum->addend != 1) return std::nullopt;
    const auto exponent = pattern_.OperandOf(sum->term, F::kExp);
    if (!exponent.has_value()) return std::nullopt;
    const Product product = ProductOf(*exponent);
    if (product.scale != -1 || product.factors.size() != 1) return std::nullopt;
    return product.factors[0];
  }

  // `node` as 1 / (1 + exp(-x)) or x / (1 + exp(-x)).
  std::optional<Activation> Logistic(const Node& node) const {
    if (const auto* unary = std::get_if<Unary>(&node.op)) {
      const auto x = unary->function == F::kReciprocal ? LogisticDivisor(node.operands[0]) : std::nullopt;
      return x.has_value() ? std::optional(Activation{{F::kSigmoid}, *x}) : std::nullopt;
    }
    if (!std::holds_alternative<Div>(node.op)) return std::nullopt;
    const auto x = LogisticDivisor(node.operands[1]);
    if (!x.has_value()) return std::nullopt;
    if (node.operands[0] == *x) return Activation{{F::kSilu}, *x};
    if (pattern_.Number(node.operands[0]) == 1.0f) return Activation{{F::kSigmoid}, *x};
    return std::nullopt;
  }

  // The operand of a sigmoid, however it is written.
  std::optional<ValueId> OperandOfSigmoid(ValueId value) const {
    if (const auto x = pattern_.OperandOf(value, F::kSigmoid)) return x;
    const Node* inner = pattern_.Inner(value);
    const auto logistic = inner == nullptr ? std::nullopt : Logistic(*inner);
    if (!logistic.has_value() || logistic->first.function != F::kSigmoid) return std::nullopt;
    return logistic->second;
  }

  // 1 + erf(x / sqrt 2), or 1 - erf(-x / sqrt 2) as the complement of erf is written.
  bool IsGateOfGelu(ValueId value, ValueId x) const {
    double sign = 1;
    auto sum = SumOf(value);
    const Node* sub = pattern_.Inner<Sub>(value);
    if (sub != nullptr) {
      const auto number = pattern_.Number(sub->operands[0]);
      if (number.has_value()) sum = Sum{*number, sub->operands[1]};
      sign = -1;
    }
    if (!sum.has_value() || sum->addend != 1) return false;
    const auto inner = pattern_.OperandOf(sum->term, F::kErf);
    return inner.has_value() && IsScaled(*inner, sign / std::numbers::sqrt2, x);
  }

  // Whether `value` is scale * x, or x itself where scale is 1.
  bool IsScaled(ValueId value, double scale, ValueId x) const {
    if (value == x) return scale == 1;
    const Product product = ProductOf(value);
    return IsNear(product.scale, scale) && product.factors == std::vector{x};
  }

  // Whether `value` is scale * x^n.
  bool IsPower(ValueId value, double scale, ValueId x, int n) const {
    const Product product = ProductOf(value);
    if (!IsNear(product.scale, scale)) return false;
    if (product.factors == std::vector<ValueId>(static_cast<size_t>(n), x)) return true;
    if (product.factors.size() != 1 || pattern_.OperandOf(product.factors[0], F::kPower) != x) return false;
    return std::get<Unary>(pattern_.Inner(product.factors[0])->op).alpha == static_cast<float>(n);
  }

  // sqrt(2 / pi) (x + 0.044715 x^3), or with x in front of the parentheses.
  bool IsInnerOfGeluTanh(ValueId value, ValueId x) const {
    constexpr double kCubic = 0.044715;
    const Product product = ProductOf(value);
    if (!IsNear(product.scale, std::sqrt(2 / std::numbers::pi))) return false;
    if (product.factors.size() == 1) {
      const Node* add = pattern_.Inner(product.factors[0]);
      if (add == nullptr || !std::holds_alternative<Add>(add->op)) return false;
      const ValueId a = add->operands[0], b = add->operands[1];
      return (a == x && IsPower(b, kCubic, x, 3)) || (b == x && IsPower(a, kCubic, x, 3));
    }
    if (product.factors.size() != 2) return false;
    for (const size_t i : {0, 1}) {
      const auto sum = SumOf(product.factors[1 - i]);
      if (product.factors[i] == x && sum.has_value() && sum->addend == 1 &&
          IsPower(sum->term, kCubic, x, 2)) {
        return true;
      }
    }
    return false;
  }

  // The function that `scale * x * gate` is.
  std::optional<Unary> Gated(double scale, ValueId x, ValueId gate) const {
    if (scale == 1) {
      if (const auto inner = OperandOfSigmoid(gate)) {
        if (*inner == x) return Unary{F::kSilu};
        if (IsScaled(*inner, 1.702, x)) return Unary{F::kGeluSigmoid};
      }
      if (pattern_.OperandOf(gate, F::kHardSigmoid) == x) {
        const Unary& ramp = std::get<Unary>(pattern_.Inner(gate)->op);
        return Unary{F::kHardSwish, ramp.alpha, ramp.beta};
      }
      const auto inner = pattern_.OperandOf(gate, F::kTanh);
      if (inner.has_value() && pattern_.OperandOf(*inner, F::kSoftplus) == x) return Unary{F::kMish};
    }
    if (const auto ramp = RampOf(scale, gate); ramp.has_value() && ramp->second == x) {
      return Unary{F::kHardSwish, ramp->first.alpha, ramp->first.beta};
    }
    if (scale == 0.5 && IsGateOfGelu(gate, x)) return Unary{F::kGelu};
    const auto sum = SumOf(gate);
    if (scale != 0.5 || !sum.has_value() || sum->addend != 1) return std::nullopt;
    if (const auto inner = pattern_.OperandOf(sum->term, F::kTanh)) {
      if (IsInnerOfGeluTanh(*inner, x)) return Unary{F::kGeluTanh};
    }
    return std::nullopt;
  }

  // scale * clip(x + o, 0, 1 / scale) as a hard sigmoid of x.
  std::optional<Activation> RampOf(double scale, ValueId value) const {
    const Node* inner = pattern_.Inner(value);
    const auto* clip = inner == nullptr ? nullptr : std::get_if<Clip>(&inner->op);
    if (clip == nullptr || clip->low != 0 || !IsNear(scale * clip->high, 1)) return std::nullopt;
    const auto sum = SumOf(inner->operands[0]);
    if (!sum.has_value()) return std::nullopt;
    const float alpha = 1 / clip->high, beta = static_cast<float>(sum->addend / clip->high);
    return Activation{{F::kHardSigmoid, alpha, beta}, sum->term};
  }

  std::optional<Activation> ActivationOf(const Product& product) const {
    const auto& [scale, factors] = product;
    if (factors.size() == 1) return RampOf(scale, factors[0]);
    if (factors.size() != 2) return std::nullopt;
    for (const size_t i : {0, 1}) {
      if (const auto op = Gated(scale, factors[i], factors[1 - i])) return Activation{*op, factors[i]};
    }
    return std::nullopt;
  }

  // -clip(-x, low, high), which bounds x; and a bound of x itself, which nothing else reads, too.
  std::optional<std::pair<Clip, ValueId>> NegatedClip(const Product& product) const {
    if (product.scale != -1 || product.factors.size() != 1) return std::nullopt;
    const Node* clip = pattern_.Inner<Clip>(product.factors[0]);
    if (clip == nullptr) return std::nullopt;
    const Product inner = ProductOf(clip->operands[0]);
    if (inner.scale != -1 || inner.factors.size() != 1) return std::nullopt;
    Bounds bounds = {-BoundsOf(clip->op).high, -BoundsOf(clip->op).low};
    ValueId x = inner.factors[0];
    if (const Node* before = pattern_.Inner(x); before != nullptr && HasBounds(before->op)) {
      const Bounds first = BoundsOf(before->op);
      bounds = {std::clamp(first.low, bounds.low, bounds.high),
                std::clamp(first.high, bounds.low, bounds.high)};
      x = before->operands[0];
    }
    return std::pair(Clip{static_cast<float>(bounds.low), static_cast<float>(bounds.high)}, x);
  }

  const Graph& graph_;
  const GraphPattern pattern_;
};

}  // namespace

absl::StatusOr<Graph> RecognizeActivations(const Graph& graph) {
  return ReplaceNodes(graph, Recognizer(graph).Run());
}

}  // namespace tally::quant
