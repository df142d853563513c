#include "quant/lower/lower.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/labels.h"
#include "quant/lower/clip_ranges.h"
#include "quant/lower/dead_ranges.h"
#include "quant/lower/lowering.h"
#include "quant/lower/pinned_grids.h"
#include "vm/limits.h"

namespace tally::quant {
namespace {

constexpr int64_t kMostInstructionsOfNode = 16;  // nearly all nodes take fewer

}  // namespace

absl::StatusOr<LoweredGraph> Lowering::Run() && {
  values_.resize(graph_.values.size());
  for (const ValueId id : graph_.inputs) {
    const Value& value = graph_.values[id];
    auto shape = tally::Shape::Create(value.type.shape);
    if (!shape.ok())
      return MakeError(label::lower_shape,
                       absl::StrCat("input ", value.name, ": ", shape.status().message()));
    const bool is_float = value.type.element == ElementType::kFloat32;
    values_[id] = builder_.Param(value.name, {*shape, types_[id]->interval},
                                 is_float ? std::optional(ToMetadata(*types_[id])) : std::nullopt);
  }
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    if (fusions_[n].absorbed || std::holds_alternative<Constant>(node.op)) continue;
    const ValueId output = fusions_[n].output;
    auto value = std::visit([&](const auto& op) { return op.Lower(*this, node, *types_[output]); }, node.op);
    if (!value.ok()) {
      return WithMessage(value.status(), absl::StrCat(node.source, ": ", value.status().message()));
    }
    values_[output] = *value;
  }
  for (const Output& output : graph_.outputs) {
    if (!values_[output.value].has_value()) {
      return MakeError(label::lower_unsupported, absl::StrCat("output ", output.name, " is a constant"));
    }
    builder_.Result(output.name, *values_[output.value], ToMetadata(*types_[output.value]));
  }
  LoweredGraph lowered = {.module = std::move(builder_).Build(), .values = {}};
  for (size_t id = 0; id < values_.size(); ++id) {
    lowered.values.emplace_back();
    if (values_[id].has_value()) lowered.values.back() = {*values_[id], *types_[id]};
  }
  return lowered;
}

absl::StatusOr<LoweredGraph> LowerGraph(const Graph& graph, const Calibration& seen,
                                        const LowerOptions& options) {
  const Calibration calibration = WithLiveRanges(graph, ClipRanges(graph, seen, options.method));
  std::vector<Fusion> fusions = FuseActivations(graph);
  ASSIGN_OR_RETURN(auto types, AssignTypes(graph, fusions, calibration, options.inputs));
  ASSIGN_OR_RETURN(LoweredGraph lowered, Lowering(graph, calibration, std::move(fusions), std::move(types),
                                                  NarrowGrids(graph, seen, options.method))
                                             .Run());
  for (ValueInfo& param : lowered.module.metadata.params) {
    const auto format = std::ranges::find(options.inputs, param.name, &InputFormat::name);
    if (format != options.inputs.end() && format->as_integers) param.quantization.reset();
  }
  return lowered;
}

absl::Status CheckSize(const Graph& graph, const std::vector<InputFormat>& inputs) {
  const auto refuse = [](int64_t instructions) {
    return MakeError(label::lower_size,
                     absl::StrCat("the network takes ", instructions,
                                  " instructions at least, and a module has up to ", kMaxInstructions));
  };
  const std::vector<Fusion> fusions = FuseActivations(graph);
  int64_t nodes = 0;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    nodes += fusions[n].absorbed || std::holds_alternative<Constant>(graph.nodes[n].op) ? 0 : 1;
  }
  if (nodes > kMaxInstructions) return refuse(nodes);
  if (nodes <= kMaxInstructions / kMostInstructionsOfNode) return absl::OkStatus();
  // How many instructions a node takes hardly depends on ranges, so any will do to count them.
  Calibration any{.num_samples = 1};
  for (const ValueId id : ValuesToCalibrate(graph, inputs)) {
    any.values[graph.values[id].name] = {-1, 1, 1};
  }
  const absl::StatusOr<LoweredGraph> lowered = LowerGraph(graph, any, {.inputs = inputs});
  if (!lowered.ok()) return absl::OkStatus();  // errors show with the ranges of samples
  int64_t instructions = 0;
  for (const Function& function : lowered->module.functions) instructions += std::ssize(function.body);
  return instructions > kMaxInstructions ? refuse(instructions) : absl::OkStatus();
}

absl::StatusOr<Module> LowerToModule(const Graph& graph, const Calibration& calibration,
                                     const LowerOptions& options) {
  ASSIGN_OR_RETURN(LoweredGraph lowered, LowerGraph(graph, calibration, options));
  return std::move(lowered.module);
}

}  // namespace tally::quant
