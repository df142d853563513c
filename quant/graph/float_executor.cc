#include "quant/graph/float_executor.h"

#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

absl::Status CheckIntegers(const Value& input, const FloatTensor& tensor) {
  const Interval allowed = input.interval.value_or(Interval{-kLargestSampleInteger, kLargestSampleInteger});
  for (const float element : tensor.data) {
    const double number = element;
    if (number >= static_cast<double>(allowed.lo) && number <= static_cast<double>(allowed.hi) &&
        number == std::floor(number)) {
      continue;
    }
    std::ostringstream text;
    text << number;
    return MakeError(label::graph_run_inputs, "input '" + input.name + "' holds " + text.str() +
                                                  " and takes integers in " + allowed.ToString());
  }
  return absl::OkStatus();
}

absl::Status CheckInputs(const Graph& graph, std::span<const FloatTensor> inputs) {
  if (inputs.size() != graph.inputs.size()) {
    return MakeError(label::graph_run_inputs, "the graph has " + std::to_string(graph.inputs.size()) +
                                                  " inputs, not " + std::to_string(inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.values[graph.inputs[i]];
    if (inputs[i].shape != value.type.shape ||
        inputs[i].data.size() != static_cast<size_t>(NumElements(value.type.shape))) {
      return MakeError(label::graph_run_inputs, "input '" + value.name + "' is " +
                                                    ToString(value.type.shape) + ", not " +
                                                    ToString(inputs[i].shape));
    }
    if (value.type.element == ElementType::kInt64) RETURN_IF_ERROR(CheckIntegers(value, inputs[i]));
  }
  return absl::OkStatus();
}

Int64Tensor IntegersOf(const FloatTensor& tensor) {
  return {tensor.shape, {tensor.data.begin(), tensor.data.end()}};
}

// The values that nothing reads after node i, for every i; graph outputs are in none of the lists.
std::vector<std::vector<ValueId>> ValuesToFree(const Graph& graph) {
  constexpr size_t kKeep = static_cast<size_t>(-1);
  std::vector<size_t> last_use(graph.values.size(), kKeep);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId operand : graph.nodes[i].operands) last_use[operand] = i;
  }
  for (const Output& output : graph.outputs) last_use[output.value] = kKeep;
  std::vector<std::vector<ValueId>> lists(graph.nodes.size());
  for (size_t value = 0; value < last_use.size(); ++value) {
    if (last_use[value] != kKeep) lists[last_use[value]].push_back(static_cast<ValueId>(value));
  }
  return lists;
}

}  // namespace

Tensor EvaluateNode(const Op& op, std::span<const Tensor* const> operands, const ValueType& result,
                    FloatTensor* inner) {
  return std::visit(
      [&](const auto& definition) {
        if constexpr (std::decay_t<decltype(definition)>::kTraits.inner.empty()) {
          return definition.Evaluate(operands, result.shape);
        } else {
          return definition.Evaluate(operands, result.shape, inner);
        }
      },
      op);
}

FloatExecutor::FloatExecutor(const Graph& graph) : graph_(graph), to_free_(ValuesToFree(graph)) {
  for (const Node& node : graph.nodes) layers_.push_back(MakeHeavyLayer(graph, node));
}

absl::StatusOr<std::vector<Tensor>> FloatExecutor::Compute(std::span<const FloatTensor> inputs,
                                                           const RunHooks& hooks, bool keeps) {
  RETURN_IF_ERROR(CheckInputs(graph_, inputs));
  std::vector<Tensor> owned(graph_.values.size());
  std::vector<const Tensor*> tensors(graph_.values.size());  // into `owned`, or at the graph's constants
  const auto tell = [&](ValueId value) {
    auto* const tensor = std::get_if<FloatTensor>(&owned[value]);
    if (tensor != nullptr && hooks.adjust) hooks.adjust(value, *tensor);
    if (tensor != nullptr && hooks.observer) hooks.observer(value, *tensor);
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId value = graph_.inputs[i];
    tensors[value] = &owned[value];
    if (graph_.values[value].type.element == ElementType::kInt64) {
      owned[value] = IntegersOf(inputs[i]);
      if (hooks.observer) hooks.observer(value, inputs[i]);
    } else {
      owned[value] = inputs[i];
      tell(value);
    }
  }

  std::vector<const Tensor*> operands;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (const Tensor* constant = ConstantOf(graph_, node.result)) {
      tensors[node.result] = constant;
      continue;
    }
    operands.clear();
    for (const ValueId operand : node.operands) operands.push_back(tensors[operand]);
    const bool tells_inner = hooks.inner && !TraitsOf(node.op).inner.empty();
    FloatTensor inner;
    owned[node.result] = tells_inner
                             ? EvaluateNode(node.op, operands, graph_.values[node.result].type, &inner)
                             : RunNode(i, operands);
    tensors[node.result] = &owned[node.result];
    tell(node.result);
    if (tells_inner) hooks.inner(node.result, inner);
    if (keeps) continue;
    for (const ValueId dead : to_free_[i]) owned[dead] = Tensor();
  }
  return owned;
}

absl::StatusOr<std::vector<Tensor>> FloatExecutor::Run(std::span<const FloatTensor> inputs,
                                                       const RunHooks& hooks) {
  ASSIGN_OR_RETURN(std::vector<Tensor> values, Compute(inputs, hooks, /*keeps=*/false));
  std::vector<Tensor> outputs;
  for (const Output& output : graph_.outputs) {
    const Tensor* constant = ConstantOf(graph_, output.value);
    outputs.push_back(constant != nullptr ? *constant : values[output.value]);
  }
  return outputs;
}

absl::StatusOr<std::vector<Tensor>> FloatExecutor::RunKeeping(std::span<const FloatTensor> inputs) {
  return Compute(inputs, {}, /*keeps=*/true);
}

Tensor FloatExecutor::RunNode(size_t node, std::span<const Tensor* const> operands) {
  if (layers_[node] != nullptr) return layers_[node]->Run(operands);
  const Node& of = graph_.nodes[node];
  return EvaluateNode(of.op, operands, graph_.values[of.result].type);
}

std::vector<Tensor> FloatExecutor::Rerun(std::span<const Tensor> values, const RunChanges& changes) {
  std::vector<std::optional<Tensor>> anew(graph_.values.size());
  const auto tensor_of = [&](ValueId value) -> const Tensor& {
    if (const Tensor* constant = ConstantOf(graph_, value)) return *constant;
    return anew[value].has_value() ? *anew[value] : values[value];
  };
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    std::vector<std::optional<Tensor>> changed(node.operands.size());
    std::vector<const Tensor*> operands;
    FloatExecutor* const other = changes.by(i);
    bool differs = other != nullptr;
    for (size_t index = 0; index < node.operands.size(); ++index) {
      const Tensor& operand = tensor_of(node.operands[index]);
      changed[index] = changes.operand(i, index, operand);
      differs |= changed[index].has_value() || anew[node.operands[index]].has_value();
      operands.push_back(changed[index].has_value() ? &*changed[index] : &operand);
    }
    if (differs) anew[node.result] = other != nullptr ? other->RunNode(i, operands) : RunNode(i, operands);
    for (const ValueId dead : to_free_[i]) anew[dead].reset();
  }
  std::vector<Tensor> outputs;
  for (const Output& output : graph_.outputs) outputs.push_back(tensor_of(output.value));
  return outputs;
}

absl::StatusOr<std::vector<Tensor>> RunGraph(const Graph& graph, std::span<const FloatTensor> inputs,
                                             const Observer& observer) {
  return FloatExecutor(graph).Run(inputs, {.observer = observer});
}

}  // namespace tally::quant
