#include "quant/graph/graph_builder.h"

#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

// A name as the graph has it: what is one already stays, so that passes, which build graphs anew, change
// none.
std::string NameFrom(std::string_view text) {
  const std::string name = Printable(text.substr(0, kMaxValueNameBytes + 1));
  // With room for a suffix.
  return name.size() <= kMaxValueNameBytes ? name : PrintableStart(name, kMaxValueNameBytes - 64);
}

}  // namespace

GraphBuilder::GraphBuilder(std::string_view name) { graph_.name = NameFrom(name); }

absl::StatusOr<ValueId> GraphBuilder::AddInput(std::string_view name, Shape shape) {
  return AddInput(Value{std::string(name), {ElementType::kFloat32, std::move(shape)}});
}

absl::StatusOr<ValueId> GraphBuilder::AddInput(const Value& like) {
  RETURN_IF_ERROR(CheckShape(like.type.shape));
  ASSIGN_OR_RETURN(const ValueId value, AddValue(like.name, like.type, kGraphInput));
  graph_.values[value].interval = like.interval;
  graph_.inputs.push_back(value);
  return value;
}

absl::StatusOr<ValueId> GraphBuilder::AddNode(Op op, std::vector<ValueId> operands, std::string_view name,
                                              std::string_view source) {
  absl::StatusOr<ValueType> type = CheckNode(graph_, op, operands);
  if (!type.ok()) {
    return WithMessage(type.status(), std::string(source) + ": " + std::string(type.status().message()));
  }
  ASSIGN_OR_RETURN(const ValueId value,
                   AddValue(name, *std::move(type), static_cast<int32_t>(graph_.nodes.size())));
  graph_.nodes.push_back({std::move(op), std::move(operands), value, std::string(source)});
  return value;
}

absl::StatusOr<ValueId> GraphBuilder::AddConstant(std::string_view name, std::shared_ptr<const Tensor> tensor,
                                                  std::shared_ptr<const ConstantCodes> codes) {
  return AddNode(Constant{std::move(tensor), std::move(codes)}, {}, name,
                 "constant '" + PrintableStart(name) + "'");
}

absl::StatusOr<ValueId> GraphBuilder::AddConstant(std::string_view name, Tensor tensor) {
  return AddConstant(name, std::make_shared<const Tensor>(std::move(tensor)));
}

void GraphBuilder::Rename(ValueId value, std::string_view name) {
  value_names_.erase(graph_.values[value].name);
  graph_.values[value].name = FreeName(name, value_names_);
}

void GraphBuilder::AddOutput(ValueId value, std::string_view name) {
  graph_.outputs.push_back({FreeName(name, output_names_), value});
}

absl::StatusOr<Graph> GraphBuilder::Build() && {
  if (graph_.outputs.empty()) return MakeError(label::graph_outputs, "the graph has no output");
  return std::move(graph_);
}

absl::StatusOr<ValueId> GraphBuilder::AddValue(std::string_view name, ValueType type, int32_t producer) {
  if (graph_.values.size() == kMaxValues)
    return MakeError(label::graph_values, "the graph has too many values");
  graph_.values.push_back({FreeName(name, value_names_), std::move(type), producer});
  return static_cast<ValueId>(graph_.values.size() - 1);
}

std::string GraphBuilder::FreeName(std::string_view wanted, std::unordered_set<std::string>& taken) {
  const std::string base = wanted.empty() ? "value" : NameFrom(wanted);
  std::string name = base;
  // The suffix never repeats, so hostile names cannot make this search quadratic.
  while (!taken.insert(name).second) name = base + "." + std::to_string(next_suffix_++);
  return name;
}

}  // namespace tally::quant
