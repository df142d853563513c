#include <algorithm>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/fixed_point.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/model/labels.h"
#include "ops/comparison/attrs.h"
#include "ops/elementwise/attrs.h"
#include "ops/layout/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

// Between floats nothing happens until the result is encoded; a float becomes an integer toward zero;
// anything becomes a truth by comparison with 0. An integer that could wrap is refused by the caller of the
// importer.
absl::StatusOr<ExactResults> CastTo(ExactNode& node, const ExactValue& x, int64_t data_type) {
  const int to = static_cast<int>(data_type);
  if (to == TensorProto::BOOL) {
    const Value zero = node.c().Constant({}, {0});
    ASSIGN_OR_RETURN(const Value truth,
                     node.c().Apply(Opcode::kCompare, {x.value, zero}, CompareAttrs{Comparison::kNotEqual}));
    return ExactResults{ExactValue{truth, 0, to}};
  }
  if (IsFloat(to) || x.fraction_bits == 0) return ExactResults{ExactValue{x.value, x.fraction_bits, to}};
  const Value shift = node.c().Constant({}, {x.fraction_bits});
  ASSIGN_OR_RETURN(const Value y,
                   node.c().Apply(Opcode::kShiftRight, {x.value, shift}, ShiftRightAttrs{Rounding::kTrunc}));
  return ExactResults{ExactValue{y, 0, to}};
}

absl::StatusOr<Value> Filled(ExactNode& node, const std::vector<int64_t>& shape, int64_t value) {
  return node.c().Apply(Opcode::kFill, {}, FillAttrs{shape, value});
}

absl::StatusOr<ExactResults> Integers(ExactNode& node, const std::vector<int64_t>& values, bool scalar) {
  if (values.empty()) return MakeError(label::model_shape, "an empty tensor");
  ASSIGN_OR_RETURN(const Shape shape,
                   scalar ? Shape::Create({}) : Shape::Create({static_cast<int64_t>(values.size())}));
  ASSIGN_OR_RETURN(const Tensor tensor, Tensor::FromValues(shape, values));
  return ExactResults{ExactValue{node.c().Constant(tensor), 0, TensorProto::INT64}};
}

// A tensor in one of the attributes of Constant but strings and sparse tensors.
absl::StatusOr<MaybeExactValue> ReadConstant(ExactNode& node) {
  if (const auto* value = node.attributes().Find("value")) return node.host().Constant(value->t());
  TensorProto tensor;
  const auto* floats = node.attributes().Find("value_floats");
  const auto* number = node.attributes().Find("value_float");
  if (floats != nullptr || number != nullptr) {
    tensor.set_data_type(TensorProto::FLOAT);
    if (number != nullptr) {
      tensor.add_float_data(number->f());
    } else {
      tensor.add_dims(floats->floats_size());
      *tensor.mutable_float_data() = floats->floats();
    }
  } else {
    const auto* integers = node.attributes().Find("value_ints");
    const auto* integer = node.attributes().Find("value_int");
    if (integers == nullptr && integer == nullptr) {
      return MakeError(label::model_unsupported_attribute, "a constant of strings, or a sparse one");
    }
    tensor.set_data_type(TensorProto::INT64);
    if (integer != nullptr) {
      tensor.add_int64_data(integer->i());
    } else {
      tensor.add_dims(integers->ints_size());
      *tensor.mutable_int64_data() = integers->ints();
    }
  }
  if (IsEmpty(tensor)) return MaybeExactValue();
  RETURN_IF_ERROR(node.host().Spend(tensor.float_data_size() + tensor.int64_data_size()));
  ASSIGN_OR_RETURN(const FixedPoint constant, DecodeSaturated(tensor));
  return ExactValue{.value = node.c().Constant(constant.tensor),
                    .fraction_bits = constant.fraction_bits,
                    .data_type = constant.data_type,
                    .is_saturated = constant.is_saturated};
}

}  // namespace

absl::StatusOr<ExactResults> ExactCast(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t to, node.attributes().Int("to", 0));
  for (const char* of_small_floats : {"saturate", "round_mode"}) node.attributes().Ignore(of_small_floats);
  return CastTo(node, x, to);
}

absl::StatusOr<ExactResults> ExactCastLike(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue like, node.Input(1));
  for (const char* of_small_floats : {"saturate", "round_mode"}) node.attributes().Ignore(of_small_floats);
  return CastTo(node, x, like.data_type);
}

absl::StatusOr<ExactResults> ExactConstant(ExactNode& node) {
  ASSIGN_OR_RETURN(const MaybeExactValue value, ReadConstant(node));
  return ExactResults{value};
}

absl::StatusOr<ExactResults> ExactConstantOfShape(ExactNode& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, node.Ints(0));
  FixedPoint constant = {.data_type = TensorProto::FLOAT};
  if (const auto* value = node.attributes().Find("value")) {
    if (value->t().dims_size() > 1 || (value->t().dims_size() == 1 && value->t().dims(0) != 1)) {
      return MakeError(label::model_malformed, "the value is not one element");
    }
    ASSIGN_OR_RETURN(constant, DecodeFixedPoint(value->t()));
  }
  ASSIGN_OR_RETURN(const Value y, Filled(node, shape, constant.tensor.view().at(0)));
  return ExactResults{ExactValue{y, constant.fraction_bits, constant.data_type}};
}

absl::StatusOr<ExactResults> ExactEyeLike(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue like, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t type, node.attributes().Int("dtype", like.data_type));
  ASSIGN_OR_RETURN(const int64_t k, node.attributes().Int("k", 0));
  const Shape& shape = node.c().shape(like.value);
  if (shape.rank() != 2) return MakeError(label::model_shape, "the input is not a matrix");
  const std::vector<int64_t> dims = {shape[0], shape[1]};
  ASSIGN_OR_RETURN(const Value row, node.c().Apply(Opcode::kIota, {}, IotaAttrs{dims, 0, k}));
  ASSIGN_OR_RETURN(const Value column, node.c().Apply(Opcode::kIota, {}, IotaAttrs{dims, 1}));
  ASSIGN_OR_RETURN(const Value eye,
                   node.c().Apply(Opcode::kCompare, {row, column}, CompareAttrs{Comparison::kEqual}));
  return ExactResults{ExactValue{eye, 0, static_cast<int>(type)}};
}

// start, start + delta, ... below limit: its length must be known.
absl::StatusOr<ExactResults> ExactRange(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValues x, node.AlignedInputs());
  node.attributes().Ignore("stash_type");  // how 16-bit floats are summed; sums here are exact
  if (x.size() != 3) return MakeError(label::model_malformed, "not three inputs");
  int64_t terms[3];
  for (int i = 0; i < 3; ++i) {
    const TensorView* constant = node.c().constant(x[i].value);
    if (constant == nullptr)
      return MakeError(label::model_unsupported_operand, "a bound of the range is not a constant");
    terms[i] = constant->at(0);
  }
  if (terms[2] == 0) return MakeError(label::model_malformed, "delta is 0");
  const int64_t distance = terms[2] > 0 ? terms[1] - terms[0] : terms[0] - terms[1];
  const int64_t count = CeilDiv(distance, terms[2] > 0 ? terms[2] : -terms[2]);
  if (count <= 0) return MakeError(label::model_shape, "an empty tensor");
  ASSIGN_OR_RETURN(
      const Value y,
      node.c().Apply(Opcode::kIota, {}, IotaAttrs{.shape = {count}, .start = terms[0], .step = terms[2]}));
  return ExactResults{x[0].With(y)};
}

absl::StatusOr<ExactResults> ExactShape(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  const auto dims = node.c().shape(x.value).dims();
  const int64_t rank = static_cast<int64_t>(dims.size());
  ASSIGN_OR_RETURN(int64_t start, node.attributes().Int("start", 0));
  ASSIGN_OR_RETURN(int64_t end, node.attributes().Int("end", rank));
  const auto clamp = [&](int64_t axis) {
    return std::min(std::max<int64_t>(axis < 0 ? axis + rank : axis, 0), rank);
  };
  std::vector<int64_t> values;
  for (int64_t axis = clamp(start); axis < clamp(end); ++axis) values.push_back(dims[axis]);
  return Integers(node, values, false);
}

absl::StatusOr<ExactResults> ExactSize(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  return Integers(node, {node.c().shape(x.value).num_elements()}, true);
}

}  // namespace tally::onnx
