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

// Whether the result has as many bits as its operands, of which it is a sum, a multiple or a bound.
bool CarriesLong(const Graph& graph, const Node& node) {
  // Sums of so many leave room for a multiplier, products with weights of 8 bits too.
  constexpr int64_t kMostTerms = 4096, kMostProducts = 512;
  const Op& op = node.op;
  if (node.operands.empty()) return false;
  const Shape& x = graph.values[node.operands[0]].type.shape;
  if (std::holds_alternative<ReduceSum>(op))
    return NumElements(x) / NumElements(graph.values[node.result].type.shape) <= kMostTerms;
  if (std::holds_alternative<MatMul>(op)) {
    const Tensor* weights = ConstantOf(graph, node.operands[1]);
    return weights != nullptr && ShapeOf(*weights).size() == 2 && x.back() <= kMostProducts;
  }
  if (std::holds_alternative<Dense>(op)) return x.back() <= kMostProducts;
  return std::holds_alternative<Add>(op) || std::holds_alternative<Sub>(op) ||
         std::holds_alternative<Relu>(op) || std::holds_alternative<Clip>(op) ||
         std::holds_alternative<Reshape>(op) || std::holds_alternative<Transpose>(op) ||
         std::holds_alternative<Slice>(op) || Stretches(graph, node);
}

// Adds what operators read wide, and what reaches such a value without being rescaled but by one factor.
template <typename ReadsIt>
void AddRead(const Graph& graph, const ReadsIt& reads, std::vector<bool>& wide) {
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool passes =
        (TraitsOf(node->op).grid == Grid::kOfOperand || Stretches(graph, *node)) && wide[node->result];
    for (size_t i = 0; i < node->operands.size(); ++i) {
      if (reads(*node, i) || (passes && i == 0)) wide[node->operands[i]] = true;
    }
  }
}

bool ReadsScores(const Node& node, size_t operand) {
  const Op& op = node.op;
  return operand == 0 && (std::holds_alternative<Softmax>(op) || std::holds_alternative<LogSoftmax>(op) ||
                          std::holds_alternative<ArgExtreme>(op) || std::holds_alternative<TopK>(op));
}

bool IsSigmoid(const Op& op) {
  const auto* unary = std::get_if<Unary>(&op);
  return unary != nullptr && unary->function == RecipeFunction::kSigmoid;
}

}  // namespace

std::vector<bool> WideValues(const Graph& graph, const Calibration& calibration) {
  std::vector<bool> wide(graph.values.size(), false);
  for (size_t id = 0; id < wide.size(); ++id)
    wide[id] = calibration.widths.values.contains(graph.values[id].name);
  for (const Output& output : graph.outputs) wide[output.value] = true;
  const std::vector<bool> logits = LogitValues(graph);
  for (size_t id = 0; id < wide.size(); ++id) wide[id] = wide[id] || logits[id];
  AddRead(
      graph, [](const Node& node, size_t i) { return ReadsWide(node.op, i); }, wide);
  return wide;
}

std::vector<bool> ScoreValues(const Graph& graph) {
  std::vector<bool> scores(graph.values.size(), false);
  AddRead(graph, ReadsScores, scores);
  return scores;
}

std::vector<bool> LogitValues(const Graph& graph) {
  std::vector<bool> logits(graph.values.size(), false);
  const std::vector<bool> results = ResultValues(graph);
  AddRead(
      graph, [&](const Node& node, size_t) { return IsSigmoid(node.op) && results[node.result]; }, logits);
  return logits;
}

std::vector<bool> CenteredValues(const Graph& graph) {
  std::vector<bool> centered(graph.values.size(), false);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool moves = TraitsOf(node->op).grid == Grid::kOfOperand && centered[node->result];
    if (moves) centered[node->operands[0]] = true;
    if (!std::holds_alternative<MatMul>(node->op)) continue;
    for (const ValueId operand : node->operands) centered[operand] = true;
  }
  return centered;
}

std::vector<bool> LongValues(const Graph& graph) {
  std::vector<bool> leads(graph.values.size(), false), may(graph.values.size(), true);
  for (const Output& output : graph.outputs) may[output.value] = false;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const auto* unary = std::get_if<Unary>(&node->op);
    const bool reads = unary != nullptr && unary->ReadsLong();
    const bool carries = !reads && CarriesLong(graph, *node);
    for (const ValueId operand : node->operands) {
      if (!reads && !carries) may[operand] = false;
      if (reads || (carries && leads[node->result] && may[node->result])) leads[operand] = true;
    }
  }
  for (size_t id = 0; id < may.size(); ++id) {
    const Value& value = graph.values[id];
    may[id] = may[id] && leads[id] && value.type.element == ElementType::kFloat32 &&
              ConstantOf(graph, static_cast<ValueId>(id)) == nullptr;
  }
  return may;
}

std::vector<bool> WideFactors(const Graph& graph, const Calibration& calibration) {
  std::vector<bool> factors(graph.values.size(), false);
  const std::vector<ValueId> widened = WidenedBy(graph, calibration);
  for (const Node& node : graph.nodes) {
    if (!calibration.widths.products.contains(graph.values[node.result].name)) continue;
    for (const ValueId operand : node.operands) {
      if (widened[operand] != kNoValue) factors[widened[operand]] = true;
    }
  }
  return factors;
}

std::vector<bool> ResultValues(const Graph& graph) {
  std::vector<bool> only(graph.values.size(), true), read(graph.values.size(), false);
  for (const Output& output : graph.outputs) read[output.value] = true;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool moves =
        TraitsOf(node->op).grid == Grid::kOfOperand && read[node->result] && only[node->result];
    for (size_t i = 0; i < node->operands.size(); ++i) {
      read[node->operands[i]] = true;
      if (!moves || i > 0) only[node->operands[i]] = false;
    }
  }
  for (size_t id = 0; id < only.size(); ++id) only[id] = only[id] && read[id];
  return only;
}

std::vector<ValueId> WidenedBy(const Graph& graph, const Calibration& calibration) {
  std::vector<ValueId> by(graph.values.size(), kNoValue);
  for (size_t id = 0; id < by.size(); ++id) {
    const Value& value = graph.values[id];
    if (calibration.widths.values.contains(value.name) && calibration.values.contains(value.name)) {
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
