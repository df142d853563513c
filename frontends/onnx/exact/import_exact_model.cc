#include "frontends/onnx/exact/import_exact_model.h"

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/exact/exact_graph.h"
#include "frontends/onnx/float_format.h"
#include "frontends/onnx/labels.h"
#include "vm/module_builder.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

constexpr int kMaxInputFractionBits = 47;  // a tensor has as many bits

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

// What the parameter of an input holds.
absl::StatusOr<InputRange> RangeOf(const ValueInfoProto& input, const std::vector<InputRange>& ranges) {
  const int type = input.type().tensor_type().elem_type();
  if (!input.type().has_tensor_type() || !IsNumeric(type)) {
    return MakeError(label::onnx_unsupported_type, "it is no tensor of numbers");
  }
  const auto given = std::ranges::find(ranges, input.name(), &InputRange::name);
  if (given == ranges.end()) {
    if (!IsFloat(type)) return InputRange{input.name(), 0, IntervalOfType(type)};
    return MakeError(label::onnx_inexact,
                     "it is of floats: give it a grid, or make a module with calibration (`tally quantize`)");
  }
  const bool sane = given->interval.lo <= given->interval.hi &&
                    IntervalOfType(type).Contains(given->interval) && given->fraction_bits >= 0 &&
                    given->fraction_bits <= (IsFloat(type) ? kMaxInputFractionBits : 0);
  if (!sane) return MakeError(label::onnx_malformed, "the range that is given is none of its type");
  return *given;
}

std::optional<Quantization> GridOf(const ExactValue& value) {
  if (!IsFloat(value.data_type)) return std::nullopt;
  return Quantization{.zero_point = 0, .multiplier = 1, .shift = value.fraction_bits};
}

}  // namespace

absl::StatusOr<Module> ImportExactModel(std::span<const uint8_t> bytes, const ExactImportOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OpenedModel> model, OpenModel(bytes, options.folder));
  const ::onnx::GraphProto& graph = model->proto.graph();
  const std::vector<const ValueInfoProto*> inputs = InputsOf(graph);
  RETURN_IF_ERROR(CheckNames(options.shapes, inputs));
  for (const InputRange& range : options.ranges) {
    if (std::ranges::none_of(inputs,
                             [&](const ValueInfoProto* input) { return input->name() == range.name; })) {
      return MakeError(label::onnx_malformed,
                       absl::StrCat("the model has no input '", range.name, "' for a range"));
    }
  }
  Composition c(Profile::kCore);
  ModuleBuilder builder(Profile::kCore);
  std::vector<MaybeExactValue> values;
  std::vector<ValueId> params;
  for (const ValueInfoProto* input : inputs) {
    const auto add = [&]() -> absl::Status {
      ASSIGN_OR_RETURN(const InputRange range, RangeOf(*input, options.ranges));
      ASSIGN_OR_RETURN(const std::vector<int64_t> dims, ShapeOfInput(*input, options.shapes));
      const absl::StatusOr<Shape> shape = Shape::Create(dims);
      if (!shape.ok()) return MakeError(label::onnx_shape, std::string(shape.status().message()));
      const TensorType type = {*shape, range.interval};
      const ExactValue value = {c.Input(type), range.fraction_bits, input->type().tensor_type().elem_type()};
      params.push_back(builder.Param(input->name(), type, GridOf(value)));
      values.emplace_back(value);
      return absl::OkStatus();
    };
    if (const absl::Status status = add(); !status.ok()) {
      return WithMessage(status,
                         absl::StrCat("input '", PrintableStart(input->name()), "': ", status.message()));
    }
  }
  ASSIGN_OR_RETURN(const ExactValues facts, ImportExactly(graph, model->opset, values, c));
  std::vector<Value> results;
  for (const ExactValue& fact : facts) {
    results.push_back(fact.value);
    if (fact.count) results.push_back(fact.count->number);
  }
  const std::vector<ValueId> ids = builder.Append(c, params, results);
  auto id = ids.begin();
  for (size_t i = 0; i < facts.size(); ++i) {
    const std::string& name = graph.output(static_cast<int>(i)).name();
    builder.Result(name, *id++, GridOf(facts[i]));
    if (facts[i].count) builder.Result(name + ".count", *id++);
  }
  return std::move(builder).Build();
}

}  // namespace tally::onnx
