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

// Values that reach an output, or an operator that reads them wide, without being rescaled on the way.
std::vector<bool> WideValues(const Graph& graph) {
  std::vector<bool> wide(graph.values.size(), false);
  for (const Output& output : graph.outputs) wide[output.value] = true;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool passes = TraitsOf(node->op).grid == Grid::kOfOperand && wide[node->result];
    for (size_t i = 0; i < node->operands.size(); ++i) {
      if (ReadsWide(node->op, i) || (passes && i == 0)) wide[node->operands[i]] = true;
    }
  }
  return wide;
}

// The grid of an activation: the bounds that a Relu or Clip puts on the integers of its operand.
QuantizedType Clamped(QuantizedType type, const Bounds& bounds) {
  const auto [low, high] = bounds;
  const Interval all = type.interval;
  if (std::isfinite(low)) type.interval.lo = QuantizedType{type.scale, type.zero_point, all}.Quantize(low);
  if (std::isfinite(high)) type.interval.hi = QuantizedType{type.scale, type.zero_point, all}.Quantize(high);
  return type;
}

std::optional<QuantizedType> OwnGridOf(const Graph& graph, const Node& node) {
  OperandTypes types;
  for (const ValueId id : node.operands) types.push_back(graph.values[id].type);
  return std::visit(
      [&](const auto& op) -> std::optional<QuantizedType> {
        if constexpr (requires { op.OwnGrid(types); }) return op.OwnGrid(types);
        return std::nullopt;
      },
      node.op);
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
    switch (TraitsOf(node.op).grid) {
      case Grid::kOwn: type = OwnGridOf(graph, node); break;
      case Grid::kOfOperand:
        if (!types[node.operands[0]].has_value()) {
          return MakeError(label::lower_unsupported,
                           absl::StrCat(node.source, ": its operand is a constant"));
        }
        type = Clamped(*types[node.operands[0]], BoundsOf(node.op));
        if (TraitsOf(node.op).adds_zero)
          type->interval = type->interval.Hull({type->zero_point, type->zero_point});
        break;
      case Grid::kCalibrated:
        const ValueId output = fusions[n].output;
        ASSIGN_OR_RETURN(const Range range, RangeOf(calibration, graph, output));
        type = Clamped(ChooseAffine(range.min, range.max, wide[output] ? kWideBits : kActivationBits),
                       fusions[n].bounds);
        break;
    }
  }
  return types;
}

}  // namespace tally::quant
