#include "quant/passes/recognize_masks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "quant/graph/graph_builder.h"
#include "quant/graph/integer_intervals.h"
#include "quant/passes/flag_functions.h"
#include "quant/passes/graph_pattern.h"
#include "quant/passes/replace_nodes.h"

namespace tally::quant {
namespace {

using Kind = IntegerArithmetic::Kind;

// An addend of at most this, or a replacement, hides a score. Biases by distance reach some -500.
constexpr float kHides = -1000;
// Sums and choices between a softmax and its scores; values that are read twice count twice.
constexpr int kMostNodes = 64;

// Scores as they are without a mask, and flags that hide some of them, in the new graph, which may still have
// to be broadcast to the shape that both had together.
struct Peeled {
  ValueId scores;
  std::vector<ValueId> hides;
};

// Numbers that are added: which of them hide, and the others beside 0. `sign` is -1 for those that are
// subtracted.
struct Split {
  Int64Tensor hides;
  FloatTensor rest;

  bool all() const { return std::ranges::count(hides.data, 0) == 0; }
  // An addend of all scores hides none.
  bool some() const { return !all() && std::ranges::count(hides.data, 0) < std::ssize(hides.data); }
  bool nothing_left() const {
    return std::ranges::all_of(rest.data, [](float v) { return v == 0; });
  }
};

// Nothing of integers, and where what is left would not be finite.
std::optional<Split> SplitNumbers(const Tensor& numbers, float sign) {
  const auto* floats = std::get_if<FloatTensor>(&numbers);
  if (floats == nullptr) return std::nullopt;
  Split split = {.hides = {floats->shape, {}}, .rest = *floats};
  for (float& v : split.rest.data) {
    const bool hides = sign * v <= kHides;
    split.hides.data.push_back(hides);
    if (hides) v = 0;
  }
  if (!AllFinite(split.rest)) return std::nullopt;
  return split;
}

class Recognizer {
 public:
  Recognizer(const Graph& graph, const std::set<ValueId>& flags)
      : graph_(graph),
        pattern_(graph),
        own_(IntegerIntervals(graph, IntervalsOfInputs(graph))),
        assumed_(IntegerIntervals(graph, WithFlags(graph, flags))),
        builder_(graph.name),
        functions_(graph, assumed_, builder_),
        renamed_(graph.values.size()) {}

  absl::StatusOr<Graph> Run(const std::set<ValueId>& flags) {
    for (const ValueId input : graph_.inputs) {
      Value value = graph_.values[input];
      if (flags.contains(input)) value.interval = Interval{0, 1};
      ASSIGN_OR_RETURN(renamed_[input], builder_.AddInput(value));
    }
    for (const Node& node : graph_.nodes) {
      RETURN_IF_ERROR(functions_.Visit(node, renamed_));
      ASSIGN_OR_RETURN(renamed_[node.result], Rewritten(node));
    }
    for (const Output& output : graph_.outputs) builder_.AddOutput(renamed_[output.value], output.name);
    ASSIGN_OR_RETURN(const Graph rewritten, std::move(builder_).Build());
    return ReplaceNodes(rewritten, {});  // without what nothing reads any more
  }

  // The inputs that masks are made of and that are flags only as that was assumed.
  const std::set<ValueId>& used_flags() const { return used_flags_; }

 private:
  static Intervals WithFlags(const Graph& graph, const std::set<ValueId>& flags) {
    Intervals intervals = IntervalsOfInputs(graph);
    for (const ValueId flag : flags) intervals[flag] = Interval{0, 1};
    return intervals;
  }

  absl::StatusOr<ValueId> Rewritten(const Node& node) {
    std::vector<ValueId> operands;
    for (const ValueId operand : node.operands) operands.push_back(renamed_[operand]);
    const std::string& name = graph_.values[node.result].name;
    if (std::holds_alternative<Softmax>(node.op)) {
      ASSIGN_OR_RETURN(operands[0], Masked(node.operands[0]));
    }
    const FlagFunction* function = functions_.Of(node.result);
    const auto* floats = function == nullptr ? nullptr : std::get_if<FloatTensor>(&function->values);
    // A node that only moves, or turns a flag into a float, is as short as it is.
    if (floats != nullptr && AllFinite(*floats) && !TraitsOf(node.op).moves &&
        !std::holds_alternative<ToFloat>(node.op)) {
      return functions_.Emit(*function, function->values, name, node.source);
    }
    return builder_.AddNode(node.op, std::move(operands), name, node.source);
  }

  // The scores after `value` with all that hides some of them as one operator; renamed where nothing does.
  absl::StatusOr<ValueId> Masked(ValueId value) {
    const Node* node = pattern_.Producer(value);
    if (node != nullptr && TraitsOf(node->op).moves && node->operands.size() == 1) {
      ASSIGN_OR_RETURN(const ValueId operand, Masked(node->operands[0]));
      if (operand == renamed_[node->operands[0]]) return renamed_[value];
      return builder_.AddNode(node->op, {operand}, functions_.NameFor(value, "masked"), node->source);
    }
    nodes_left_ = kMostNodes;
    ASSIGN_OR_RETURN(const std::optional<Peeled> peeled, Peel(value));
    if (!peeled.has_value()) return renamed_[value];
    const std::string& source = node->source;
    ASSIGN_OR_RETURN(const ValueId scores, InShape(peeled->scores, value, source));
    ValueId hide = peeled->hides[0];
    for (size_t i = 1; i < peeled->hides.size(); ++i) {
      ASSIGN_OR_RETURN(hide, builder_.AddNode(IntegerArithmetic{Kind::kMax}, {hide, peeled->hides[i]},
                                              functions_.NameFor(value, "hide"), source));
    }
    return builder_.AddNode(quant::Masked{}, {scores, hide}, functions_.NameFor(value, "masked"), source);
  }

  absl::StatusOr<ValueId> InShape(ValueId scores, ValueId value, const std::string& source) {
    const Shape& shape = graph_.values[value].type.shape;
    if (builder_.graph().values[scores].type.shape == shape) return scores;
    return builder_.AddNode(Expand{shape}, {scores}, functions_.NameFor(value, "scores"), source);
  }

  // Nothing where no part of `value` hides anything.
  absl::StatusOr<std::optional<Peeled>> Peel(ValueId value) {
    const Node* node = pattern_.Producer(value);
    if (node == nullptr || nodes_left_ == 0) return std::nullopt;
    --nodes_left_;
    if (std::holds_alternative<Add>(node->op)) return PeelSum(*node, 1);
    if (std::holds_alternative<Sub>(node->op)) return PeelSum(*node, -1);
    if (std::holds_alternative<Where>(node->op)) return PeelChoice(*node);
    // A bound that keeps sums of masks from infinity.
    const auto* clip = std::get_if<Clip>(&node->op);
    if (clip != nullptr && clip->low <= kHides && clip->high >= -kHides) {
      return Peel(node->operands[0]);
    }
    return std::nullopt;
  }

  // a + sign_b * b
  absl::StatusOr<std::optional<Peeled>> PeelSum(const Node& sum, float sign_b) {
    std::vector<std::optional<ValueId>> terms;  // none where nothing is left of one
    std::vector<ValueId> hides;
    for (const size_t i : {0, 1}) {
      const ValueId operand = sum.operands[i];
      const float sign = i == 0 ? 1 : sign_b;
      if (const std::optional<Split> split = SplitOf(operand, sign); split.has_value() && split->some()) {
        if (sign_b < 0 && i == 0) return std::nullopt;  // scores that are taken from a mask
        ASSIGN_OR_RETURN(const ValueId hide, HideOf(operand, split->hides, sum.source));
        hides.push_back(hide);
        terms.emplace_back();
        if (split->nothing_left()) continue;
        ASSIGN_OR_RETURN(terms.back(), RestOf(operand, split->rest, sum.source));
        continue;
      }
      std::optional<Peeled> peeled;
      if (sign == 1) {
        ASSIGN_OR_RETURN(peeled, Peel(operand));
      }
      terms.push_back(peeled.has_value() ? peeled->scores : renamed_[operand]);
      if (peeled.has_value()) hides.insert(hides.end(), peeled->hides.begin(), peeled->hides.end());
    }
    if (hides.empty()) return std::nullopt;
    if (!terms[0].has_value()) std::swap(terms[0], terms[1]);
    if (!terms[0].has_value()) return std::nullopt;
    ValueId scores = *terms[0];
    if (terms[1].has_value()) {
      ASSIGN_OR_RETURN(scores, builder_.AddNode(sum.op, {*terms[0], *terms[1]},
                                                functions_.NameFor(sum.result, "scores"), sum.source));
    }
    return Peeled{scores, std::move(hides)};
  }

  absl::StatusOr<std::optional<Peeled>> PeelChoice(const Node& where) {
    for (const size_t low : {1, 2}) {
      const ValueId kept = where.operands[3 - low];
      const std::optional<Split> split = SplitOf(where.operands[low], 1);
      if (!split.has_value() || !split->all()) continue;
      ValueId hide = renamed_[where.operands[0]];
      if (low == 2) {
        ASSIGN_OR_RETURN(hide, Inverted(where.operands[0], where.source));
      }
      ASSIGN_OR_RETURN(std::optional<Peeled> peeled, Peel(kept));
      if (!peeled.has_value()) peeled = Peeled{renamed_[kept], {}};
      if (const FlagFunction* function = functions_.Of(where.operands[0])) UseFlags(*function);
      peeled->hides.push_back(hide);
      return peeled;
    }
    return std::nullopt;
  }

  // The split of a constant or of what flags give; nothing of other values.
  std::optional<Split> SplitOf(ValueId value, float sign) const {
    if (const FlagFunction* function = functions_.Of(value)) return SplitNumbers(function->values, sign);
    const Tensor* constant = ConstantOf(graph_, value);
    return constant == nullptr ? std::nullopt : SplitNumbers(*constant, sign);
  }

  absl::StatusOr<ValueId> HideOf(ValueId value, Int64Tensor hides, const std::string& source) {
    const FlagFunction* function = functions_.Of(value);
    if (function == nullptr) return builder_.AddConstant(functions_.NameFor(value, "hide"), std::move(hides));
    UseFlags(*function);
    if (hides.data == std::vector<int64_t>{0, 1}) return *function->code;
    return functions_.Emit(*function, std::move(hides), functions_.NameFor(value, "hide"), source);
  }

  absl::StatusOr<ValueId> RestOf(ValueId value, FloatTensor rest, const std::string& source) {
    const FlagFunction* function = functions_.Of(value);
    if (function == nullptr) return builder_.AddConstant(functions_.NameFor(value, "rest"), std::move(rest));
    return functions_.Emit(*function, std::move(rest), functions_.NameFor(value, "rest"), source);
  }

  // 1 where an integer is 0.
  absl::StatusOr<ValueId> Inverted(ValueId value, const std::string& source) {
    const Tensor* constant = ConstantOf(graph_, value);
    if (constant != nullptr) {
      Int64Tensor inverted = std::get<Int64Tensor>(*constant);
      for (int64_t& v : inverted.data) v = v == 0 ? 1 : 0;
      return builder_.AddConstant(functions_.NameFor(value, "hide"), std::move(inverted));
    }
    ASSIGN_OR_RETURN(const ValueId zero,
                     builder_.AddConstant(functions_.NameFor(value, "zero"), Int64Tensor{{}, {0}}));
    return builder_.AddNode(Compare{Comparison::kEqual}, {renamed_[value], zero},
                            functions_.NameFor(value, "hide"), source);
  }

  // Takes note of inputs that `function` takes for flags.
  void UseFlags(const FlagFunction& function) {
    std::vector<ValueId> open(function.leaves.begin(), function.leaves.end());
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      if (own_[value].has_value() || graph_.values[value].type.element != ElementType::kInt64) continue;
      const Node* node = pattern_.Producer(value);
      if (node == nullptr) {
        used_flags_.insert(value);
      } else {
        open.insert(open.end(), node->operands.begin(), node->operands.end());
      }
    }
  }

  const Graph& graph_;
  const GraphPattern pattern_;
  const Intervals own_, assumed_;  // from the graph; with the assumption
  GraphBuilder builder_;
  FlagFunctions functions_;
  std::vector<ValueId> renamed_;  // from values of graph_ to values of the new graph
  std::set<ValueId> used_flags_;
  int nodes_left_ = 0;  // that Peel may look at
};

}  // namespace

// Twice: first as if each integer input of which nothing is known were flags, which shows those that masks
// are made of.
absl::StatusOr<Graph> RecognizeMasks(const Graph& graph) {
  std::set<ValueId> candidates;
  for (const ValueId input : graph.inputs) {
    const Value& value = graph.values[input];
    if (value.type.element == ElementType::kInt64 && !value.interval.has_value()) candidates.insert(input);
  }
  Recognizer trial(graph, candidates);
  RETURN_IF_ERROR(trial.Run(candidates).status());
  return Recognizer(graph, trial.used_flags()).Run(trial.used_flags());
}

}  // namespace tally::quant
