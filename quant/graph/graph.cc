#include "quant/graph/graph.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "quant/graph/infer_type.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

bool IsName(const std::string& name) {
  return !name.empty() && name.size() <= kMaxValueNameBytes && Printable(name) == name;
}

bool Exists(const Graph& graph, ValueId value) {
  return value >= 0 && static_cast<size_t>(value) < graph.values.size();
}

absl::Status CheckOutputs(const Graph& graph) {
  if (graph.outputs.empty()) return MakeError(label::graph_outputs, "the graph has no output");
  std::unordered_set<std::string> names;
  for (const Output& output : graph.outputs) {
    if (!Exists(graph, output.value)) return MakeError(label::graph_outputs, "an output does not exist");
    if (!IsName(output.name) || !names.insert(output.name).second) {
      return MakeError(label::graph_outputs,
                       "the name of an output is not unique, or too long or not printable");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNames(const Graph& graph) {
  std::unordered_set<std::string> names;
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const std::string& name = graph.values[i].name;
    if (!IsName(name)) {
      return MakeError(label::graph_name,
                       "the name of value " + std::to_string(i) + " is empty, too long or not printable");
    }
    if (!names.insert(name).second)
      return MakeError(label::graph_name, "two values are called '" + name + "'");
  }
  return absl::OkStatus();
}

// Values and producers name each other, one to one.
absl::Status CheckProducers(const Graph& graph) {
  size_t num_inputs = 0;
  for (const Value& value : graph.values) num_inputs += value.producer == kGraphInput ? 1 : 0;
  if (num_inputs != graph.inputs.size())
    return MakeError(label::graph_producer, "a value without producer is not an input");
  std::unordered_set<ValueId> inputs;
  for (const ValueId input : graph.inputs) {
    if (!Exists(graph, input) || graph.values[input].producer != kGraphInput ||
        !inputs.insert(input).second) {
      return MakeError(label::graph_producer, "a graph input is not a value without producer, named once");
    }
  }
  if (graph.values.size() - num_inputs != graph.nodes.size()) {
    return MakeError(label::graph_producer, "there are not as many nodes as values that they produce");
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ValueId result = graph.nodes[i].result;
    if (!Exists(graph, result) || graph.values[result].producer != static_cast<int32_t>(i)) {
      return MakeError(label::graph_producer, graph.nodes[i].source + " does not produce its result");
    }
  }
  return absl::OkStatus();
}

const Constant* ConstantNode(const Graph& graph, ValueId value) {
  const int32_t producer = graph.values[value].producer;
  return producer == kGraphInput ? nullptr : std::get_if<Constant>(&graph.nodes[producer].op);
}

absl::Status CheckCodes(const ConstantCodes& codes, const Tensor& value) {
  const Shape& shape = ShapeOf(value);
  const bool has_axis = codes.axis >= 0 && static_cast<size_t>(codes.axis) < shape.size();
  const bool fits =
      std::holds_alternative<FloatTensor>(value) &&
      codes.codes.size() == static_cast<size_t>(NumElements(shape)) &&
      (codes.scales.size() == 1 ||
       (has_axis && std::ssize(codes.scales) == shape[static_cast<size_t>(codes.axis)])) &&
      std::ranges::all_of(codes.scales, [](double scale) { return std::isnormal(scale) && scale > 0; });
  if (fits) return absl::OkStatus();
  return MakeError(label::graph_constant_data, "a constant's codes or their scales do not fit its elements");
}

absl::Status CheckConstant(const Constant& constant) {
  if (constant.value == nullptr) return MakeError(label::graph_constant_data, "a constant has no tensor");
  RETURN_IF_ERROR(CheckShape(ShapeOf(*constant.value)));
  const size_t num_elements = static_cast<size_t>(NumElements(ShapeOf(*constant.value)));
  const size_t size = std::visit([](const auto& dense) { return dense.data.size(); }, *constant.value);
  if (size != num_elements)
    return MakeError(label::graph_constant_data, "a constant's data do not fill its shape");
  if (const auto* floats = std::get_if<FloatTensor>(constant.value.get())) {
    for (const float element : floats->data) {
      if (!std::isfinite(element))
        return MakeError(label::graph_constant_data, "a constant holds NaN or infinity");
    }
  }
  if (constant.codes != nullptr) return CheckCodes(*constant.codes, *constant.value);
  return absl::OkStatus();
}

}  // namespace

const Tensor* ConstantOf(const Graph& graph, ValueId value) {
  const Constant* constant = ConstantNode(graph, value);
  return constant == nullptr ? nullptr : constant->value.get();
}

const ConstantCodes* CodesOf(const Graph& graph, ValueId value) {
  const Constant* constant = ConstantNode(graph, value);
  return constant == nullptr ? nullptr : constant->codes.get();
}

std::vector<int> NumUses(const Graph& graph) {
  std::vector<int> uses(graph.values.size(), 0);
  for (const Node& node : graph.nodes) {
    for (const ValueId operand : node.operands) ++uses[operand];
  }
  for (const Output& output : graph.outputs) ++uses[output.value];
  return uses;
}

absl::StatusOr<ValueType> CheckNode(const Graph& graph, const Op& op, const std::vector<ValueId>& operands) {
  if (const auto* constant = std::get_if<Constant>(&op)) RETURN_IF_ERROR(CheckConstant(*constant));
  std::vector<ValueType> types;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (IsWeightOperand(op, i) && ConstantOf(graph, operands[i]) == nullptr) {
      return MakeError(label::graph_constant_operand,
                       std::string(OpName(op)) + ": operand " + std::to_string(i) + " ('" +
                           graph.values[operands[i]].name + "') is not a constant");
    }
    types.push_back(graph.values[operands[i]].type);
  }
  return InferType(op, types);
}

absl::Status Verify(const Graph& graph) {
  if (graph.values.size() > kMaxValues)
    return MakeError(label::graph_values, "the graph has too many values");
  RETURN_IF_ERROR(CheckNames(graph));
  RETURN_IF_ERROR(CheckProducers(graph));
  for (const ValueId input : graph.inputs) {
    const ValueType& type = graph.values[input].type;
    RETURN_IF_ERROR(CheckShape(type.shape));
    const std::optional<Interval>& interval = graph.values[input].interval;
    if (interval.has_value() && (type.element != ElementType::kInt64 || interval->lo > interval->hi)) {
      return MakeError(label::graph_type, "the interval of a graph input is not one of integers");
    }
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    for (const ValueId operand : node.operands) {
      if (!Exists(graph, operand) || graph.values[operand].producer >= static_cast<int32_t>(i)) {
        return MakeError(label::graph_order, node.source + " uses a value before it is produced");
      }
    }
    ASSIGN_OR_RETURN(const ValueType type, CheckNode(graph, node.op, node.operands));
    if (type != graph.values[node.result].type) {
      return MakeError(label::graph_type, node.source + " yields " + ToString(type) + ", not " +
                                              ToString(graph.values[node.result].type));
    }
  }
  return CheckOutputs(graph);
}

}  // namespace tally::quant
