#include "quant/passes/recognize_grids.h"

#include <cmath>
#include <cstdint>
#include <optional>

#include "quant/passes/graph_pattern.h"
#include "quant/passes/replace_nodes.h"

namespace tally::quant {
namespace {

// How far the product of a float and of one through it is off 1.
constexpr double kNearOne = 1e-6;
constexpr double kMostCodes = 65536;

// A value times a number, or plus one.
struct WithNumber {
  ValueId value;
  double number;
};

class Recognizer {
 public:
  explicit Recognizer(const Graph& graph) : graph_(graph), pattern_(graph) {}

  Replacements Run() const {
    Replacements found;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (const auto grid = GridOf(graph_.nodes[n])) found[n] = *grid;
    }
    return found;
  }

 private:
  std::optional<WithNumber> Multiple(const Node* node) const {
    if (node == nullptr) return std::nullopt;
    if (std::holds_alternative<Div>(node->op)) {
      const auto divisor = pattern_.Number(node->operands[1]);
      if (!divisor.has_value() || *divisor == 0) return std::nullopt;
      return WithNumber{node->operands[0], 1 / static_cast<double>(*divisor)};
    }
    return std::holds_alternative<Mul>(node->op) ? EitherNumber(*node) : std::nullopt;
  }

  std::optional<WithNumber> EitherNumber(const Node& node) const {
    for (const size_t i : {0, 1}) {
      if (const auto number = pattern_.Number(node.operands[i]))
        return WithNumber{node.operands[1 - i], *number};
    }
    return std::nullopt;
  }

  // The terms whose sum is `value`; itself plus 0 where it is none.
  WithNumber Sum(ValueId value) const {
    const Node* node = pattern_.Inner(value);
    if (node != nullptr && std::holds_alternative<Add>(node->op)) {
      if (const auto sum = EitherNumber(*node)) return *sum;
    }
    if (node != nullptr && std::holds_alternative<Sub>(node->op)) {
      if (const auto number = pattern_.Number(node->operands[1])) return {node->operands[0], -*number};
    }
    return {value, 0};
  }

  std::optional<Replacement> GridOf(const Node& node) const {
    const auto real = Multiple(&node);
    if (!real.has_value() || !(real->number > 0)) return std::nullopt;
    const WithNumber centered = Sum(real->value);
    const Node* clip = pattern_.Inner<Clip>(centered.value);
    if (clip == nullptr) return std::nullopt;
    const auto [low, high] = std::get<Clip>(clip->op);
    const WithNumber code = Sum(clip->operands[0]);
    const auto scaled = pattern_.OperandOf(code.value, RecipeFunction::kRoundHalfEven);
    const auto quotient = scaled.has_value() ? Multiple(pattern_.Inner(*scaled)) : std::nullopt;
    if (!quotient.has_value() || !(std::abs(quotient->number * real->number - 1) < kNearOne) ||
        graph_.values[quotient->value].type != graph_.values[node.result].type) {
      return std::nullopt;
    }
    const double zero = code.number;
    if (centered.number != -zero || zero != std::floor(zero) || low != std::floor(low) ||
        high != std::floor(high) ||
        !(low <= zero && zero <= high && high - low < kMostCodes && std::abs(low) < kMostCodes)) {
      return std::nullopt;
    }
    const QuantizedType grid = {.scale = static_cast<float>(real->number),
                                .zero_point = static_cast<int64_t>(zero),
                                .interval = {static_cast<int64_t>(low), static_cast<int64_t>(high)},
                                .rounding = Rounding::kHalfEven};
    return Replacement{FakeQuantize{grid}, {quotient->value}};
  }

  const Graph& graph_;
  const GraphPattern pattern_;
};

}  // namespace

absl::StatusOr<Graph> RecognizeGrids(const Graph& graph) {
  return ReplaceNodes(graph, Recognizer(graph).Run());
}

}  // namespace tally::quant
