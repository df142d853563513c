#include "quant/passes/flag_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/status_macros.h"
#include "quant/graph/float_executor.h"

namespace tally::quant {
namespace {

using Kind = IntegerArithmetic::Kind;

// Codes beyond which a function is none of flags.
constexpr int64_t kMostCodes = 16;
// Different numbers beyond which a constant holds none; a bias has more.
constexpr int64_t kMostNumbers = 2;

template <typename... Ops>
bool IsOneOf(const Op& op) {
  return (std::holds_alternative<Ops>(op) || ...);
}

bool IsOfElements(const Op& op) {
  return IsOneOf<Add, Sub, Mul, Div, Max, Min, Unary, Slopes, Relu, Clip, ToFloat, ToInteger, Compare,
                 IntegerArithmetic, Where, Lookup>(op);
}

int64_t SizeOf(const FlagFunction& function) { return NumElements(ShapeOf(function.values)); }

// A constant of few different numbers, and the code of each of its elements; none where all are one number.
struct CodedConstant {
  Tensor values;
  std::optional<Int64Tensor> codes;
};

std::optional<CodedConstant> Coded(const Tensor& constant) {
  return std::visit(
      []<typename T>(const DenseTensor<T>& dense) -> std::optional<CodedConstant> {
        DenseTensor<T> values;
        Int64Tensor codes{dense.shape, {}};
        for (const T& element : dense.data) {
          const auto found = std::ranges::find(values.data, element);
          codes.data.push_back(found - values.data.begin());
          if (found != values.data.end()) continue;
          if (std::ssize(values.data) == kMostNumbers) return std::nullopt;
          values.data.push_back(element);
        }
        values.shape = {std::ssize(values.data)};
        CodedConstant coded = {.values = values};
        if (values.data.size() > 1) coded.codes = std::move(codes);
        return coded;
      },
      constant);
}

// The number that stands for an infinity in a graph.
Tensor Finite(Tensor values) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (auto* floats = std::get_if<FloatTensor>(&values)) {
    for (float& v : floats->data) v = std::clamp(v, -kLargest, kLargest);
  }
  return values;
}

}  // namespace

FlagFunctions::FlagFunctions(const Graph& graph, const Intervals& intervals, GraphBuilder& builder)
    : graph_(graph), intervals_(intervals), builder_(builder) {
  for (const Value& value : graph.values) names_.insert(value.name);
}

const FlagFunction* FlagFunctions::Of(ValueId value) const {
  const auto found = functions_.find(value);
  return found == functions_.end() ? nullptr : &found->second;
}

std::string FlagFunctions::NameFor(ValueId value, std::string_view word) {
  std::string name = graph_.values[value].name + "." + std::string(word);
  while (!names_.insert(name).second) name += "_";
  return name;
}

absl::StatusOr<ValueId> FlagFunctions::Number(int64_t number, ValueId value) {
  return builder_.AddConstant(NameFor(value, "number"), Int64Tensor{{}, {number}});
}

absl::StatusOr<ValueId> FlagFunctions::Emit(const FlagFunction& function, Tensor values,
                                            std::string_view name, const std::string& source) {
  return builder_.AddNode(Lookup{Finite(std::move(values))}, {*function.code}, name, source);
}

// An integer of few values, coded by itself.
absl::StatusOr<std::optional<FlagFunction>> FlagFunctions::Leaf(ValueId value,
                                                                std::span<const ValueId> renamed) {
  const std::optional<Interval>& interval = intervals_[value];
  if (!interval.has_value() || interval->hi - interval->lo >= kMostCodes || interval->hi == interval->lo) {
    return std::nullopt;
  }
  FlagFunction leaf = {.code = renamed[value], .leaves = {value}};
  Int64Tensor values{{interval->hi - interval->lo + 1}, {}};
  for (int64_t v = interval->lo; v <= interval->hi; ++v) values.data.push_back(v);
  leaf.values = std::move(values);
  if (interval->lo != 0) {
    ASSIGN_OR_RETURN(const ValueId first, Number(interval->lo, value));
    ASSIGN_OR_RETURN(leaf.code, builder_.AddNode(IntegerArithmetic{Kind::kSub}, {renamed[value], first},
                                                 NameFor(value, "code"), graph_.values[value].name));
  }
  return leaf;
}

absl::StatusOr<std::optional<FlagFunction>> FlagFunctions::OfOperand(ValueId value,
                                                                     std::span<const ValueId> renamed) {
  if (const FlagFunction* known = Of(value)) return *known;
  const Tensor* constant = ConstantOf(graph_, value);
  if (constant == nullptr) return Leaf(value, renamed);
  std::optional<CodedConstant> coded = Coded(*constant);
  if (!coded.has_value()) return std::nullopt;
  FlagFunction function = {.values = std::move(coded->values)};
  if (coded->codes.has_value()) {
    ASSIGN_OR_RETURN(function.code, builder_.AddConstant(NameFor(value, "codes"), *std::move(coded->codes)));
  }
  return function;
}

// The function's values are the operator's, for each way in which the codes of the operands can meet.
absl::StatusOr<std::optional<FlagFunction>> FlagFunctions::OfElements(const Node& node,
                                                                      std::span<const ValueId> renamed) {
  // A comparison of integers is a flag itself, whatever it compares.
  const auto is_function = [&](ValueId operand) { return Of(operand) != nullptr; };
  if (std::holds_alternative<Compare>(node.op) && std::ranges::none_of(node.operands, is_function)) {
    return std::nullopt;
  }
  bool all_constant = true;
  for (const ValueId operand : node.operands) {
    const bool is_constant = ConstantOf(graph_, operand) != nullptr;
    // Before codes are made: floats that are no function of flags end it.
    if (!is_constant && Of(operand) == nullptr && !intervals_[operand].has_value()) return std::nullopt;
    all_constant = all_constant && is_constant;
  }
  if (all_constant) return std::nullopt;
  std::vector<FlagFunction> operands;
  std::vector<std::pair<ValueId, int64_t>> codes;  // and how many there are of each
  FlagFunction result;
  int64_t count = 1;
  for (const ValueId operand : node.operands) {
    ASSIGN_OR_RETURN(const std::optional<FlagFunction> function, OfOperand(operand, renamed));
    if (!function.has_value()) return std::nullopt;
    operands.push_back(*function);
    result.leaves.insert(function->leaves.begin(), function->leaves.end());
    if (!function->code.has_value()) continue;
    const auto is_same = [&](const auto& code) { return code.first == *function->code; };
    if (std::ranges::any_of(codes, is_same)) continue;
    codes.emplace_back(*function->code, SizeOf(*function));
    count *= SizeOf(*function);
    if (count > kMostCodes) return std::nullopt;
  }
  // Integers of several are as good a code themselves.
  const ValueType& type = graph_.values[node.result].type;
  if (codes.empty() || (codes.size() > 1 && type.element == ElementType::kInt64)) return std::nullopt;

  std::vector<Tensor> lists;
  for (const FlagFunction& operand : operands) {
    lists.push_back(std::visit(
        [&]<typename T>(const DenseTensor<T>& values) -> Tensor {
          DenseTensor<T> list{{count}, {}};
          for (int64_t joint = 0; joint < count; ++joint) {
            int64_t place = 0, rest = joint;
            for (auto code = codes.rbegin(); code != codes.rend(); rest /= code->second, ++code) {
              if (operand.code == code->first) place = rest % code->second;
            }
            list.data.push_back(values.data[static_cast<size_t>(place)]);
          }
          return list;
        },
        operand.values));
  }
  std::vector<const Tensor*> pointers;
  for (const Tensor& list : lists) pointers.push_back(&list);
  result.values = EvaluateNode(node.op, pointers, {type.element, {count}});

  ValueId code = codes[0].first;
  for (size_t i = 1; i < codes.size(); ++i) {
    ASSIGN_OR_RETURN(const ValueId factor, Number(codes[i].second, node.result));
    ASSIGN_OR_RETURN(code, builder_.AddNode(IntegerArithmetic{Kind::kMul}, {code, factor},
                                            NameFor(node.result, "code"), node.source));
    ASSIGN_OR_RETURN(code, builder_.AddNode(IntegerArithmetic{Kind::kAdd}, {code, codes[i].first},
                                            NameFor(node.result, "code"), node.source));
  }
  if (builder_.graph().values[code].type.shape != type.shape) {
    ASSIGN_OR_RETURN(code,
                     builder_.AddNode(Expand{type.shape}, {code}, NameFor(node.result, "code"), node.source));
  }
  result.code = code;
  return result;
}

absl::StatusOr<std::optional<FlagFunction>> FlagFunctions::Moved(const Node& node,
                                                                 std::span<const ValueId> renamed) {
  const FlagFunction* operand = Of(node.operands[0]);
  if (operand == nullptr || IsOneOf<Pad, Concat>(node.op)) return std::nullopt;
  FlagFunction moved = *operand;
  std::vector<ValueId> operands(node.operands.size());
  for (size_t i = 0; i < operands.size(); ++i) operands[i] = renamed[node.operands[i]];
  operands[0] = *operand->code;
  ASSIGN_OR_RETURN(moved.code,
                   builder_.AddNode(node.op, std::move(operands), NameFor(node.result, "code"), node.source));
  return moved;
}

absl::Status FlagFunctions::Visit(const Node& node, std::span<const ValueId> renamed) {
  if (node.operands.empty()) return absl::OkStatus();
  std::optional<FlagFunction> function;
  if (IsOfElements(node.op)) {
    ASSIGN_OR_RETURN(function, OfElements(node, renamed));
  } else if (TraitsOf(node.op).moves) {
    ASSIGN_OR_RETURN(function, Moved(node, renamed));
  }
  if (function.has_value()) functions_[node.result] = *std::move(function);
  return absl::OkStatus();
}

}  // namespace tally::quant
