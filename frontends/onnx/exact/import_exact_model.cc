#include "frontends/onnx/exact/import_exact_model.h"

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/exact/graph.h"
#include "frontends/onnx/model/data_type.h"
#include "frontends/onnx/model/fix_inputs.h"
#include "frontends/onnx/model/labels.h"
#include "vm/module_builder.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

constexpr int kMaxInputFractionBits = 47;  // a tensor has as many bits

constexpr int kMostImports = 8;

bool IsNumeric(int type) {
  switch (type) {
    case TensorProto::BOOL:
    case TensorProto::INT8:
    case TensorProto::UINT8:
    case TensorProto::INT16:
    case TensorProto::UINT16:
    case TensorProto::INT32:
    case TensorProto::UINT32:
    case TensorProto::INT64:
    case TensorProto::UINT64: return true;
    default: return IsFloat(type);
  }
}

// The range of an input's parameter.
absl::StatusOr<InputRange> RangeOf(const ValueInfoProto& input, const std::vector<InputRange>& ranges) {
  const int type = input.type().tensor_type().elem_type();
  if (!input.type().has_tensor_type() || !IsNumeric(type)) {
    return MakeError(label::model_unsupported_type, "it is not a tensor of numbers");
  }
  const auto given = std::ranges::find(ranges, Printable(input.name()), &InputRange::name);
  if (given == ranges.end()) {
    if (!IsFloat(type)) return InputRange{input.name(), 0, IntervalOfType(type)};
    return MakeError(label::model_inexact,
                     "it is of floats: give it a grid, or make a module with calibration (`tally quantize`)");
  }
  const Interval limit = TensorLimit(Profile::kCore), of_type = IntervalOfType(type);
  if (given->interval.lo > given->interval.hi) {
    return MakeError(label::model_malformed, "the range that is given begins after its end");
  }
  if (!limit.Contains(given->interval)) {
    return MakeError(
        label::model_malformed,
        absl::StrCat("the range that is given exceeds what a tensor can hold, 48 bits: ", limit.ToString()));
  }
  if (!of_type.Contains(given->interval)) {
    return MakeError(label::model_malformed,
                     absl::StrCat("the range that is given exceeds that of its type, ", of_type.ToString()));
  }
  const int most_bits = IsFloat(type) ? kMaxInputFractionBits : 0;
  if (given->fraction_bits < 0 || given->fraction_bits > most_bits) {
    return MakeError(label::model_malformed,
                     absl::StrCat("the range that is given has ", given->fraction_bits,
                                  " fraction bits; its type has up to ", most_bits));
  }
  return *given;
}

std::optional<Quantization> GridOf(const ExactValue& value) {
  if (!IsFloat(value.data_type)) return std::nullopt;
  return Quantization{.zero_point = 0, .multiplier = 1, .shift = value.fraction_bits};
}

// A file contradicts itself where it declares another shape or type of a result than its nodes give.
absl::Status CheckDeclared(const ValueInfoProto& output, const ExactValue& fact, const Composition& c) {
  const int declared_type = output.type().tensor_type().elem_type();
  const auto dims = c.shape(fact.value).dims();
  std::vector<int64_t> open(dims.begin(), dims.end());
  if (fact.count.has_value()) open[static_cast<size_t>(fact.count->axis)] = -1;
  if (!FitsDeclared(DeclaredBy(output), open)) {
    return MakeError(label::model_shape,
                     absl::StrCat("it is ", c.shape(fact.value).ToString(), ", not as declared"));
  }
  if (declared_type != 0 && declared_type != fact.data_type) {
    return MakeError(label::model_malformed, "its type is not the declared one");
  }
  return absl::OkStatus();
}

absl::Status At(const char* kind, const ValueInfoProto& place, const absl::Status& status) {
  if (status.ok()) return status;
  return WithMessage(status, absl::StrCat(kind, " '", PrintableStart(place.name()), "': ", status.message()));
}

// The facts about an input that are known before anything is imported.
struct Parameter {
  const ValueInfoProto* input;
  std::string name;  // as the module has it
  InputRange range;
  bool is_given;  // the range: by the user
  Shape shape;
};

absl::StatusOr<Parameter> ParameterOf(const ValueInfoProto& input, const ExactImportOptions& options) {
  Parameter parameter = {.input = &input};
  parameter.is_given =
      std::ranges::find(options.ranges, Printable(input.name()), &InputRange::name) != options.ranges.end();
  ASSIGN_OR_RETURN(parameter.name, ServedName(input.name()));
  ASSIGN_OR_RETURN(parameter.range, RangeOf(input, options.ranges));
  ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                   ShapeOfInput(input.name(), DeclaredBy(input), options.shapes));
  const absl::StatusOr<Shape> shape = Shape::Create(dims);
  if (!shape.ok()) return MakeError(label::model_shape, std::string(shape.status().message()));
  parameter.shape = *shape;
  return parameter;
}

// One import with the ranges of `parameters`. Where the graph narrows one of them, nothing is returned and it
// has to begin anew.
absl::StatusOr<std::optional<Module>> Import(const ::onnx::GraphProto& graph, int64_t opset,
                                             std::vector<Parameter>& parameters) {
  Composition c(Profile::kCore);
  ModuleBuilder builder(Profile::kCore);
  std::vector<MaybeExactValue> values;
  std::vector<ValueId> params;
  InputBounds bounds;
  for (const Parameter& parameter : parameters) {
    const TensorType type = {parameter.shape, parameter.range.interval};
    const ExactValue value = {c.Input(type), parameter.range.fraction_bits,
                              parameter.input->type().tensor_type().elem_type()};
    params.push_back(builder.Param(parameter.name, type, GridOf(value)));
    values.emplace_back(value);
    bounds.push_back(parameter.is_given ? std::nullopt : std::optional(type.interval));
  }
  ASSIGN_OR_RETURN(const ExactValues facts, ImportExactly(graph, opset, values, c, &bounds));
  bool is_narrowed = false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!bounds[i].has_value() || *bounds[i] == parameters[i].range.interval) continue;
    parameters[i].range.interval = *bounds[i];
    is_narrowed = true;
  }
  if (is_narrowed) return std::nullopt;
  std::vector<Value> results;
  std::vector<std::string> names;
  for (size_t i = 0; i < facts.size(); ++i) {
    const ValueInfoProto& output = graph.output(static_cast<int>(i));
    RETURN_IF_ERROR(At("output", output, CheckDeclared(output, facts[i], c)));
    const absl::StatusOr<std::string> name = ServedName(output.name());
    RETURN_IF_ERROR(At("output", output, name.status()));
    names.push_back(*name);
    results.push_back(facts[i].value);
    if (facts[i].count) results.push_back(facts[i].count->number);
  }
  const std::vector<ValueId> ids = builder.Append(c, params, results);
  auto id = ids.begin();
  for (size_t i = 0; i < facts.size(); ++i) {
    builder.Result(names[i], *id++, GridOf(facts[i]));
    if (facts[i].count) builder.Result(names[i] + ".count", *id++);
  }
  return std::move(builder).Build();
}

}  // namespace

absl::StatusOr<Module> ImportExactModel(std::span<const uint8_t> bytes, const ExactImportOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OpenedModel> model, OpenModel(bytes, options.folder));
  if (options.files_read != nullptr) *options.files_read = model->files;
  RETURN_IF_ERROR(FixInputs(options.shapes, *model->proto.mutable_graph()));
  const ::onnx::GraphProto& graph = model->proto.graph();
  const std::vector<const ValueInfoProto*> inputs = InputsOf(graph);
  RETURN_IF_ERROR(CheckNames(options.shapes, NamesOf(inputs)));
  for (const InputRange& range : options.ranges) {
    if (std::ranges::none_of(inputs,
                             [&](const auto* input) { return Printable(input->name()) == range.name; })) {
      return MakeError(label::model_malformed,
                       absl::StrCat("the model has no input '", PrintableStart(range.name), "' for a range"));
    }
  }
  std::vector<Parameter> parameters;
  for (const ValueInfoProto* input : inputs) {
    absl::StatusOr<Parameter> parameter = ParameterOf(*input, options);
    RETURN_IF_ERROR(At("input", *input, parameter.status()));
    parameters.push_back(*std::move(parameter));
  }
  // Each further import narrows an input, and a narrower one asks for nothing new.
  for (int i = 0; i < kMostImports; ++i) {
    ASSIGN_OR_RETURN(std::optional<Module> module, Import(graph, model->opset, parameters));
    if (module.has_value()) return *std::move(module);
  }
  return MakeError(label::model_needs_range,
                   "the indices of its inputs depend on each other: give these ranges (--range)");
}

}  // namespace tally::onnx
