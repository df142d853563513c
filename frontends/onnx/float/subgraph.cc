// Graphs within nodes, in the place of these: the branch of an If whose condition is known, the trips of a
// Loop that are known.
#include "frontends/onnx/model/subgraph.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/float/importer.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

namespace {

constexpr int64_t kMostInlinedBytes = int64_t{16} << 20;  // beside what a file of the size may compute

std::string InputName(const NodeProto& node, int index) {
  return index < node.input_size() ? node.input(index) : "";
}

absl::StatusOr<const GraphProto*> SubgraphOf(const NodeProto& node, const std::string& name) {
  const auto attribute = std::ranges::find(node.attribute(), name, &::onnx::AttributeProto::name);
  if (attribute != node.attribute().end() && attribute->has_g()) return &attribute->g();
  return MakeError(label::model_malformed, "it has no graph called " + name);
}

}  // namespace

absl::StatusOr<bool> Importer::ImportKnownControl(const NodeProto& node, const std::string& number,
                                                  const std::string& source) {
  if (!IsDefaultDomain(node)) return false;
  if (node.op_type() == "If") {
    ASSIGN_OR_RETURN(const std::optional<int64_t> condition, KnownIntegerOf(InputName(node, 0)));
    if (!condition.has_value()) {
      RETURN_IF_ERROR(ImportBothBranches(node, number, source));
    } else {
      RETURN_IF_ERROR(FinishBranch(node, number, *condition != 0 ? "then_branch" : "else_branch"));
    }
    return true;
  }
  if (node.op_type() == "Scan" && opset_ >= 9) {
    RETURN_IF_ERROR(UnrollScan(node, number, source));
    return true;
  }
  if (node.op_type() != "Loop") return false;
  ASSIGN_OR_RETURN(const std::optional<LoopStart> start, StartOf(node));
  if (!start.has_value()) return false;
  RETURN_IF_ERROR(UnrollLoop(node, number, source, *start));
  return true;
}

absl::StatusOr<std::optional<int64_t>> Importer::KnownIntegerOf(const std::string& name) const {
  ASSIGN_OR_RETURN(const Operand operand, run_.scope().Lookup(name));
  return KnownInteger(operand);
}

absl::StatusOr<const GraphProto*> Importer::Inline(const NodeProto& node, const std::string& number,
                                                   const std::string& name,
                                                   const std::vector<Operand>& inputs) {
  ASSIGN_OR_RETURN(const GraphProto* graph, SubgraphOf(node, name));
  // Names with a tabulator, which no exporter writes, so that no two copies meet.
  GraphProto& copy = inlined_.emplace_back(
      WithPrefix(*graph, PrintableStart(node.op_type()) + "\t" + std::to_string(inlined_.size()) + "\t"));
  inlined_bytes_ += static_cast<int64_t>(copy.ByteSizeLong());
  if (inlined_bytes_ > kMostInlinedBytes + max_computed_) {
    return MakeError(label::model_too_large, "the graphs within its nodes are too large, unrolled");
  }
  AddNamesRead(copy, read_);
  for (size_t i = 0; i < inputs.size(); ++i) {
    RETURN_IF_ERROR(run_.scope().Bind(copy.input(static_cast<int>(i)).name(), inputs[i]));
  }
  RETURN_IF_ERROR(BindInitializers(copy));
  for (int i = 0; i < copy.node_size(); ++i) {
    RETURN_IF_ERROR(ImportNode(copy.node(i), NumberWithin(number, name, i), std::nullopt));
  }
  return &copy;
}

bool Importer::GivesWhatIsUnseen(const GraphProto& graph) const {
  return std::ranges::any_of(graph.output(), [&](const auto& o) { return run_.IsUnavailable(o.name()); });
}

absl::Status Importer::BindResult(const std::string& name, Operand operand) {
  return name.empty() ? absl::OkStatus() : run_.scope().Bind(name, std::move(operand));
}

absl::StatusOr<std::vector<std::optional<Operand>>> Importer::ImportBranch(const NodeProto& node,
                                                                           const std::string& number,
                                                                           const std::string& name) {
  ASSIGN_OR_RETURN(const GraphProto* graph, SubgraphOf(node, name));
  if (graph->input_size() != 0 || graph->output_size() != node.output_size() || node.output_size() == 0) {
    return MakeError(label::model_malformed, name + " does not have the results of the node");
  }
  ASSIGN_OR_RETURN(const GraphProto* branch, Inline(node, number, name, {}));
  std::vector<std::optional<Operand>> results;
  for (const auto& output : branch->output()) {
    results.emplace_back();
    if (run_.IsUnavailable(output.name())) continue;
    ASSIGN_OR_RETURN(results.back(), run_.scope().Lookup(output.name()));
  }
  return results;
}

absl::Status Importer::FinishBranch(const NodeProto& node, const std::string& number,
                                    const std::string& name) {
  ASSIGN_OR_RETURN(std::vector<std::optional<Operand>> results, ImportBranch(node, number, name));
  for (int i = 0; i < node.output_size(); ++i) {
    std::optional<Operand>& result = results[static_cast<size_t>(i)];
    if (!result.has_value()) {
      run_.MarkUnavailable(std::span(&node.output(i), 1));
      continue;
    }
    RETURN_IF_ERROR(BindResult(node.output(i), *std::move(result)));
  }
  return absl::OkStatus();
}

absl::Status Importer::ImportBothBranches(const NodeProto& node, const std::string& number,
                                          const std::string& source) {
  ASSIGN_OR_RETURN(const Operand condition, run_.scope().Lookup(InputName(node, 0)));
  ASSIGN_OR_RETURN(const auto of_then, ImportBranch(node, number, "then_branch"));
  ASSIGN_OR_RETURN(const auto of_else, ImportBranch(node, number, "else_branch"));
  for (int i = 0; i < node.output_size(); ++i) {
    const auto &a = of_then[static_cast<size_t>(i)], &b = of_else[static_cast<size_t>(i)];
    if (!a.has_value() || !b.has_value()) {
      run_.MarkUnavailable(std::span(&node.output(i), 1));
      continue;
    }
    Emitter emitter(run_.scope(), PrintableStart(node.output(i)), source);
    ASSIGN_OR_RETURN(Operand result, Either(emitter, condition, *a, *b));
    RETURN_IF_ERROR(BindResult(node.output(i), std::move(result)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<LoopStart>> Importer::StartOf(const NodeProto& node) const {
  LoopStart start;
  if (!InputName(node, 0).empty()) {
    ASSIGN_OR_RETURN(start.trips, KnownIntegerOf(node.input(0)));
    if (!start.trips.has_value()) return std::nullopt;
  }
  if (!InputName(node, 1).empty()) {
    ASSIGN_OR_RETURN(const std::optional<int64_t> condition, KnownIntegerOf(node.input(1)));
    if (condition.has_value()) {
      start.goes_on = *condition != 0;
    } else if (start.trips.has_value()) {
      ASSIGN_OR_RETURN(start.condition, run_.scope().Lookup(node.input(1)));
    } else {
      return std::nullopt;
    }
  }
  return start;
}

absl::StatusOr<std::optional<Trip>> Importer::ImportTrip(const NodeProto& node, const std::string& number,
                                                         int64_t trip, const std::vector<Operand>& states) {
  std::vector<Operand> inputs;
  for (const int64_t known : {trip, int64_t{1}}) {
    ASSIGN_OR_RETURN(Operand constant,
                     run_.scope().ComputedConstant("trip", quant::Int64Tensor{{}, {known}}));
    inputs.push_back(std::move(constant));
  }
  inputs.insert(inputs.end(), states.begin(), states.end());
  ASSIGN_OR_RETURN(auto outputs, ImportBody(node, number, trip, inputs));
  if (!outputs.has_value()) return std::nullopt;
  Trip result;
  for (size_t i = 0; i < outputs->size(); ++i) {
    Operand& operand = (*outputs)[i];
    if (i == 0) {
      result.goes_on = std::move(operand);
    } else {
      (i <= states.size() ? result.states : result.results).push_back(std::move(operand));
    }
  }
  return result;
}

absl::StatusOr<std::optional<std::vector<Operand>>> Importer::ImportBody(const NodeProto& node,
                                                                         const std::string& number,
                                                                         int64_t trip,
                                                                         const std::vector<Operand>& inputs) {
  const size_t reported = run_.num_reported();
  ASSIGN_OR_RETURN(const GraphProto* copy, Inline(node, number, "body", inputs));
  if (trip > 0) run_.ForgetImported(reported);  // the first trip has reported them
  if (GivesWhatIsUnseen(*copy)) {
    run_.MarkUnavailable(node.output());
    return std::nullopt;
  }
  std::vector<Operand> outputs;
  for (const auto& output : copy->output()) {
    ASSIGN_OR_RETURN(outputs.emplace_back(), run_.scope().Lookup(output.name()));
  }
  return std::optional(std::move(outputs));
}

absl::Status Importer::UnrollLoop(const NodeProto& node, const std::string& number, const std::string& source,
                                  const LoopStart& start) {
  ASSIGN_OR_RETURN(const GraphProto* body, SubgraphOf(node, "body"));
  const int num_states = node.input_size() - 2, num_stacked = body->output_size() - 1 - num_states;
  if (num_states < 0 || num_stacked < 0 || body->input_size() != node.input_size() ||
      node.output_size() > num_states + num_stacked) {
    return MakeError(label::model_malformed, "its body does not have its states and results");
  }
  std::vector<Operand> states;
  for (int i = 0; i < num_states; ++i) {
    ASSIGN_OR_RETURN(Operand state, run_.scope().Lookup(node.input(i + 2)));
    states.push_back(std::move(state));
  }
  Emitter loop(run_.scope(), PrintableStart(node.op_type()), source);
  ASSIGN_OR_RETURN(const auto results,
                   Unrolled(loop, start, std::move(states), [&](int64_t trip, const auto& before) {
                     return ImportTrip(node, number, trip, before);
                   }));
  if (!results.has_value()) return absl::OkStatus();
  if (!results->counts_trips && node.output_size() > num_states) {
    return MakeError(
        label::model_unsupported_operand,
        "how many results it stacks is computed at run time: keep the trips' results in a state");
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (i < num_states) {
      RETURN_IF_ERROR(BindResult(node.output(i), results->states[static_cast<size_t>(i)]));
      continue;
    }
    std::vector<Operand> parts;
    for (const auto& trip : results->trips) parts.push_back(trip[static_cast<size_t>(i - num_states)]);
    Emitter emitter(run_.scope(), PrintableStart(node.output(i)), source);
    ASSIGN_OR_RETURN(Operand stack, Stacked(emitter, parts));
    RETURN_IF_ERROR(BindResult(node.output(i), std::move(stack)));
  }
  return absl::OkStatus();
}

}  // namespace tally::onnx
