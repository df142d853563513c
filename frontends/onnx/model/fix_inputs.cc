#include "frontends/onnx/model/fix_inputs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/interval.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/float_format.h"
#include "frontends/onnx/model/data_type.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

constexpr int64_t kMostElements = int64_t{1} << 20;

// The integers of a type, as far as a double distinguishes them; nothing of other types.
std::optional<Interval> IntegersOf(int data_type) {
  constexpr int64_t kExact = int64_t{1} << 53;
  switch (data_type) {
    case TensorProto::BOOL: return Interval{0, 1};
    case TensorProto::INT8: return Interval{-128, 127};
    case TensorProto::UINT8: return Interval{0, 255};
    case TensorProto::INT16: return Interval{-32768, 32767};
    case TensorProto::UINT16: return Interval{0, 65535};
    case TensorProto::INT32: return Interval{-(int64_t{1} << 31), (int64_t{1} << 31) - 1};
    case TensorProto::INT64: return Interval{-kExact, kExact};
    default: return std::nullopt;
  }
}

absl::Status AddElement(double value, TensorProto& tensor) {
  const int type = tensor.data_type();
  if (const std::optional<Interval> integers = IntegersOf(type)) {
    const bool is_within = std::trunc(value) == value && value >= static_cast<double>(integers->lo) &&
                           value <= static_cast<double>(integers->hi);
    if (!is_within) {
      return MakeError(
          label::model_unsupported_type,
          absl::StrCat(value, " is not an integer in ", integers->ToString(), ", as its type asks"));
    }
    if (type == TensorProto::INT64) {
      tensor.add_int64_data(static_cast<int64_t>(value));
    } else {
      tensor.add_int32_data(static_cast<int32_t>(value));
    }
    return absl::OkStatus();
  }
  switch (type) {
    case TensorProto::FLOAT: tensor.add_float_data(static_cast<float>(value)); return absl::OkStatus();
    case TensorProto::DOUBLE: tensor.add_double_data(value); return absl::OkStatus();
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      tensor.add_int32_data(static_cast<int32_t>(frontend::EncodeFloat(value, FormatOf(type))));
      return absl::OkStatus();
    default:
      return MakeError(label::model_unsupported_type, "it is not a tensor of numbers, so it cannot be fixed");
  }
}

// A constant of the type and shape of `input`: `values`, or one of them for all elements.
absl::StatusOr<TensorProto> ConstantOf(const ValueInfoProto& input, const frontend::GivenInputs& given,
                                       const std::vector<double>& values) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                   frontend::ShapeOfInput(input.name(), DeclaredBy(input), given));
  TensorProto tensor;
  tensor.set_name(input.name());
  tensor.set_data_type(input.type().tensor_type().elem_type());
  int64_t elements = 1;
  for (const int64_t dim : dims) {
    tensor.add_dims(dim);
    if (dim != 0 && elements > kMostElements / dim) {
      return MakeError(label::model_too_large, "a fixed input has more than 2^20 elements");
    }
    elements *= dim;
  }
  if (elements > 0 && values.size() != 1 && std::ssize(values) != elements) {
    return MakeError(label::model_shape, absl::StrCat("it has ", elements, " elements, and ", values.size(),
                                                      " values are given; one number is for all"));
  }
  for (int64_t i = 0; i < elements; ++i) {
    RETURN_IF_ERROR(AddElement(values[values.size() == 1 ? 0 : static_cast<size_t>(i)], tensor));
  }
  return tensor;
}

}  // namespace

absl::Status FixInputs(const frontend::GivenInputs& given, ::onnx::GraphProto& graph) {
  std::vector<TensorProto> constants;
  const std::vector<const ValueInfoProto*> inputs = InputsOf(graph);
  RETURN_IF_ERROR(frontend::CheckFixedNames(given, NamesOf(inputs)));
  std::vector<frontend::DeclaredShape> declared;
  for (const ValueInfoProto* input : inputs) declared.push_back(DeclaredBy(*input));
  RETURN_IF_ERROR(frontend::CheckDimNames(given, declared));
  for (const ValueInfoProto* input : inputs) {
    const auto values = given.values.find(Printable(input->name()));
    const auto shape = given.shapes.find(Printable(input->name()));
    const bool is_fixed = values != given.values.end();
    const bool is_empty = shape != given.shapes.end() && std::ranges::count(shape->second, 0) > 0;
    if (!is_fixed && !is_empty) continue;
    absl::StatusOr<TensorProto> constant =
        ConstantOf(*input, given, is_fixed ? values->second : std::vector<double>{});
    if (!constant.ok()) {
      return WithMessage(constant.status(), absl::StrCat("input '", PrintableStart(input->name()),
                                                         "': ", constant.status().message()));
    }
    constants.push_back(*std::move(constant));
  }
  for (TensorProto& constant : constants) *graph.add_initializer() = std::move(constant);
  return absl::OkStatus();
}

}  // namespace tally::onnx
