#include "quant/lower/assign_types.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

// Operators whose result lives on the grid of their first operand.
bool KeepsGrid(const Op& op) {
  return std::holds_alternative<Relu>(op) || std::holds_alternative<Clip>(op) ||
         std::holds_alternative<MaxPool2d>(op) || std::holds_alternative<Reshape>(op) ||
         std::holds_alternative<Transpose>(op);
}

// Values that reach an output, a softmax or an argmax without being rescaled on the way.
std::vector<bool> WideValues(const Graph& graph) {
  std::vector<bool> wide(graph.values.size(), false);
  for (const Output& output : graph.outputs) wide[output.value] = true;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool demands =
        std::holds_alternative<Softmax>(node->op) || std::holds_alternative<ArgMax>(node->op);
    if (demands || (KeepsGrid(node->op) && wide[node->result])) wide[node->operands[0]] = true;
  }
  return wide;
}

// The grid of an activation: the bounds that a Relu or Clip puts on the integers of its operand.
QuantizedType Clamped(QuantizedType type, double low, double high) {
  const Interval all = type.interval;
  if (std::isfinite(low)) type.interval.lo = QuantizedType{type.scale, type.zero_point, all}.Quantize(low);
  if (std::isfinite(high)) type.interval.hi = QuantizedType{type.scale, type.zero_point, all}.Quantize(high);
  return type;
}

absl::Status AssignInputs(const Graph& graph, const Calibration& calibration,
                          const std::vector<InputFormat>& inputs,
                          std::vector<std::optional<QuantizedType>>& types) {
  for (const InputFormat& format : inputs) {
    const auto it = std::find_if(graph.inputs.begin(), graph.inputs.end(),
                                 [&](ValueId id) { return graph.values[id].name == format.name; });
    if (it == graph.inputs.end()) {
      return MakeError(label::lower_input, absl::StrCat("the network has no input '", format.name, "'"));
    }
    const bool sane = std::isfinite(format.type.scale) && format.type.scale > 0 &&
                      format.type.interval.lo <= format.type.interval.hi &&
                      format.type.interval.Magnitude() <= (uint64_t{1} << 31) &&
                      std::abs(format.type.zero_point) <= (int64_t{1} << 30);
    if (!sane || RoundScaleUp(format.type.scale) != format.type.scale) {
      return MakeError(label::lower_input,
                       absl::StrCat("input '", format.name, "' needs a positive scale with at most 24 ",
                                    "significant bits, and bounds and zero point within 32 bits"));
    }
    types[*it] = format.type;
  }
  for (const ValueId id : graph.inputs) {
    if (types[id].has_value()) continue;
    ASSIGN_OR_RETURN(const Range range, RangeOf(calibration, graph, id));
    types[id] = ChooseAffine(range.min, range.max, kActivationBits);
  }
  return absl::OkStatus();
}

}  // namespace

QuantizedType SoftmaxType() { return {0x1p-15, 0, {0, 32767}}; }

absl::StatusOr<std::vector<std::optional<QuantizedType>>> AssignTypes(
    const Graph& graph, const std::vector<Fusion>& fusions, const Calibration& calibration,
    const std::vector<InputFormat>& inputs) {
  std::vector<std::optional<QuantizedType>> types(graph.values.size());
  RETURN_IF_ERROR(AssignInputs(graph, calibration, inputs, types));
  const std::vector<bool> wide = WideValues(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (fusions[n].absorbed || std::holds_alternative<Constant>(node.op)) continue;
    std::optional<QuantizedType>& type = types[fusions[n].output];
    if (std::holds_alternative<Softmax>(node.op)) {
      type = SoftmaxType();
    } else if (const auto* argmax = std::get_if<ArgMax>(&node.op)) {
      type = QuantizedType{1, 0, {0, graph.values[node.operands[0]].type.shape[argmax->axis] - 1}};
    } else if (KeepsGrid(node.op)) {
      if (!types[node.operands[0]].has_value()) {
        return MakeError(label::lower_unsupported, absl::StrCat(node.source, ": its operand is a constant"));
      }
      type = types[node.operands[0]];
      if (std::holds_alternative<Relu>(node.op)) type = Clamped(*type, 0, HUGE_VAL);
      if (const auto* clip = std::get_if<Clip>(&node.op)) type = Clamped(*type, clip->low, clip->high);
    } else {
      const ValueId output = fusions[n].output;
      ASSIGN_OR_RETURN(const Range range, RangeOf(calibration, graph, output));
      type = ChooseAffine(range.min, range.max, wide[output] ? kWideBits : kActivationBits);
      type = Clamped(*type, fusions[n].low, fusions[n].high);
    }
  }
  return types;
}

}  // namespace tally::quant
