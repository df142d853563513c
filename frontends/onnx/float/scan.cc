// A Scan, whose steps are as many as the parts of what it scans, in the place of the node.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/onnx/float/importer.h"
#include "frontends/onnx/model/attributes.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/subgraph.h"

namespace tally::onnx {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

namespace {

// An axis and a direction for each scan of a node; 0 and forward, if it states none.
struct Directions {
  std::vector<int64_t> axes, reverse;
};

absl::StatusOr<Directions> ReadDirections(Attributes& attributes, const std::string& kind, size_t count) {
  Directions read;
  const std::vector<int64_t> zeros(count, 0);
  ASSIGN_OR_RETURN(const auto axes, attributes.Ints("scan_" + kind + "_axes"));
  ASSIGN_OR_RETURN(const auto reverse, attributes.Ints("scan_" + kind + "_directions"));
  read.axes = axes.value_or(zeros);
  read.reverse = reverse.value_or(zeros);
  if (read.axes.size() == count && read.reverse.size() == count) return read;
  return MakeError(label::model_malformed, absl::StrCat("it has ", count, " scanned ", kind,
                                                        "s and other numbers of axes or directions"));
}

// Part `step` of x along an axis, without that axis.
absl::StatusOr<Operand> PartOf(Emitter& emitter, const Operand& x, size_t axis, int64_t step) {
  ASSIGN_OR_RETURN(const Operand part, Part(emitter, x, axis, step, step + 1, "part"));
  quant::Shape shape = x.shape();
  shape.erase(shape.begin() + static_cast<int64_t>(axis));
  return emitter.Emit(quant::Reshape{std::move(shape)}, {part}, "step");
}

// Results of the steps along a new axis of what they are together.
absl::StatusOr<Operand> StackedAlong(Emitter& emitter, std::vector<Operand> parts, int64_t given,
                                     bool reverse) {
  if (reverse) std::ranges::reverse(parts);
  ASSIGN_OR_RETURN(const Operand stack, Stacked(emitter, parts));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, stack.shape().size()));
  if (axis == 0) return stack;
  std::vector<int64_t> order(stack.shape().size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::rotate(order.begin(), order.begin() + 1, order.begin() + axis + 1);
  return emitter.Emit(quant::Transpose{std::move(order)}, {stack}, "stack");
}

}  // namespace

absl::Status Importer::UnrollScan(const NodeProto& node, const std::string& number,
                                  const std::string& source) {
  ASSIGN_OR_RETURN(Attributes attributes, Attributes::Of(node));
  attributes.Ignore("body");
  ASSIGN_OR_RETURN(const int64_t scans, attributes.Int("num_scan_inputs", 0));
  const int64_t states_in = node.input_size() - scans;
  const auto body = std::ranges::find(node.attribute(), "body", &::onnx::AttributeProto::name);
  if (body == node.attribute().end() || !body->has_g() || scans < 1 || states_in < 0 ||
      body->g().input_size() != node.input_size() || body->g().output_size() != node.output_size() ||
      node.output_size() < states_in) {
    return MakeError(label::model_malformed, "its body does not have its states, its scans and its results");
  }
  const int64_t stacks = node.output_size() - states_in;
  ASSIGN_OR_RETURN(const Directions in, ReadDirections(attributes, "input", static_cast<size_t>(scans)));
  ASSIGN_OR_RETURN(const Directions out, ReadDirections(attributes, "output", static_cast<size_t>(stacks)));
  RETURN_IF_ERROR(attributes.CheckAllRead());
  std::vector<Operand> operands;
  for (const std::string& name : node.input()) {
    ASSIGN_OR_RETURN(operands.emplace_back(), run_.scope().Lookup(name));
  }
  std::vector<size_t> axes;
  LoopStart start;
  for (int64_t i = 0; i < scans; ++i) {
    const quant::Shape& shape = operands[static_cast<size_t>(states_in + i)].shape();
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(in.axes[static_cast<size_t>(i)], shape.size()));
    axes.push_back(static_cast<size_t>(axis));
    const int64_t steps = shape[axes.back()];
    if (start.trips.value_or(steps) != steps)
      return MakeError(label::model_shape, "what it scans has axes of different lengths");
    start.trips = steps;
  }
  Emitter emitter(run_.scope(), PrintableStart(node.op_type()), source);
  const auto step = [&](int64_t trip,
                        const std::vector<Operand>& before) -> absl::StatusOr<std::optional<Trip>> {
    std::vector<Operand> inputs = before;
    for (size_t i = 0; i < axes.size(); ++i) {
      const int64_t place = in.reverse[i] != 0 ? *start.trips - 1 - trip : trip;
      ASSIGN_OR_RETURN(inputs.emplace_back(),
                       PartOf(emitter, operands[static_cast<size_t>(states_in) + i], axes[i], place));
    }
    ASSIGN_OR_RETURN(auto outputs, ImportBody(node, number, trip, inputs));
    if (!outputs.has_value()) return std::nullopt;
    Trip result;
    for (size_t i = 0; i < outputs->size(); ++i) {
      (std::cmp_less(i, states_in) ? result.states : result.results).push_back(std::move((*outputs)[i]));
    }
    return result;
  };
  ASSIGN_OR_RETURN(const auto results,
                   Unrolled(emitter, start, {operands.begin(), operands.begin() + states_in}, step));
  if (!results.has_value()) return absl::OkStatus();
  for (int i = 0; i < node.output_size(); ++i) {
    if (i < states_in) {
      RETURN_IF_ERROR(BindResult(node.output(i), results->states[static_cast<size_t>(i)]));
      continue;
    }
    const auto stack = static_cast<size_t>(i - states_in);
    std::vector<Operand> parts;
    for (const auto& trip : results->trips) parts.push_back(trip[stack]);
    Emitter of_output(run_.scope(), PrintableStart(node.output(i)), source);
    ASSIGN_OR_RETURN(Operand stacked,
                     StackedAlong(of_output, std::move(parts), out.axes[stack], out.reverse[stack] != 0));
    RETURN_IF_ERROR(BindResult(node.output(i), std::move(stacked)));
  }
  return absl::OkStatus();
}

}  // namespace tally::onnx
