// Constants, and the operators with which exporters compute shapes from shapes; as shapes are static,
// all of that happens at import.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/selection.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/data_type.h"
#include "frontends/onnx/model/decode_tensor.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::TensorProto;
using quant::FloatTensor;
using quant::Int64Tensor;

absl::StatusOr<quant::Tensor> ConstantValue(const AttributeProto& attribute) {
  const std::vector<float> floats(attribute.floats().begin(), attribute.floats().end());
  const std::vector<int64_t> ints(attribute.ints().begin(), attribute.ints().end());
  switch (attribute.type()) {
    case AttributeProto::TENSOR: return DecodeTensor(attribute.t());
    case AttributeProto::FLOAT: return FloatTensor{{}, {attribute.f()}};
    case AttributeProto::FLOATS: return FloatTensor{{static_cast<int64_t>(floats.size())}, floats};
    case AttributeProto::INT: return Int64Tensor{{}, {attribute.i()}};
    case AttributeProto::INTS: return Int64Tensor{{static_cast<int64_t>(ints.size())}, ints};
    default: return MakeError(label::model_malformed, "the value of Constant is not of its type");
  }
}

absl::StatusOr<quant::ElementType> ElementTypeFrom(int64_t data_type) {
  switch (data_type) {
    case TensorProto::FLOAT:
    case TensorProto::FLOAT16:
    case TensorProto::DOUBLE: return quant::ElementType::kFloat32;
    case TensorProto::INT32:
    case TensorProto::INT64: return quant::ElementType::kInt64;
    default:
      return MakeError(label::model_unsupported_type,
                       "element type " + std::to_string(data_type) + " is not imported");
  }
}

// A position in a list of `size` elements, counted from the end where negative, and clamped to [0, size].
int64_t ClampedPosition(int64_t position, int64_t size) {
  return std::clamp<int64_t>(position < 0 ? std::max(position, -size) + size : position, 0, size);
}

template <typename T>
absl::StatusOr<T> Scalar(const NodeContext& node, size_t index) {
  const auto read = [&] {
    if constexpr (std::is_same_v<T, float>)
      return node.FloatConstant(index);
    else
      return node.IntConstant(index);
  };
  ASSIGN_OR_RETURN(const quant::DenseTensor<T>* tensor, read());
  if (tensor->data.size() == 1) return tensor->data[0];
  return MakeError(label::model_shape, "input " + std::to_string(index) + " is not a single number");
}

// start, start + delta, .. up to but without limit.
template <typename T>
absl::Status FinishRange(NodeContext& node) {
  ASSIGN_OR_RETURN(const T start, Scalar<T>(node, 0));
  ASSIGN_OR_RETURN(const T limit, Scalar<T>(node, 1));
  ASSIGN_OR_RETURN(const T delta, Scalar<T>(node, 2));
  ASSIGN_OR_RETURN(quant::DenseTensor<T> range, RangeOf(start, limit, delta));
  return node.FinishAsConstant(std::move(range));
}

// The conversion of what is computed at run time, to another type than its own.
absl::Status FinishCast(NodeContext& node, const Operand& x, bool to_bool) {
  const bool from_integer = x.type.element == quant::ElementType::kInt64;
  if (!to_bool) {
    if (from_integer) return node.Finish(quant::ToFloat{}, {x});
    return node.Finish(quant::ToInteger{}, {x});
  }
  quant::Tensor number = FloatTensor{{}, {0}};
  if (from_integer) number = Int64Tensor{{}, {0}};
  ASSIGN_OR_RETURN(const Operand zero, node.NewConstant(std::move(number), "zero"));
  return node.Finish(quant::Compare{Comparison::kNotEqual}, {x, zero});
}

// To integers of 8 or 16 bits: integers wrap, reals lose their fraction and end with the type.
absl::Status FinishNarrowCast(NodeContext& node, const Operand& x, const CodeType& type) {
  const Interval all = type.interval();
  const int64_t count = all.hi - all.lo + 1, shift = -all.lo;
  if (x.is_constant()) {
    const auto narrow = [&](auto number) {
      const double real = std::clamp(static_cast<double>(number), -0x1p62, 0x1p62);
      if constexpr (std::is_same_v<decltype(number), float>)
        return std::clamp(static_cast<int64_t>(std::isnan(real) ? 0 : real), all.lo, all.hi);
      return ((static_cast<int64_t>(number) + shift) & (count - 1)) - shift;
    };
    Int64Tensor codes{x.shape(), {}};
    std::visit(
        [&](const auto& from) {
          for (const auto number : from.data) codes.data.push_back(narrow(number));
        },
        *x.constant);
    ASSIGN_OR_RETURN(Operand constant, node.NewConstant(std::move(codes), "codes"));
    constant.codes = Codes{.type = type};
    return node.FinishAs(constant);
  }
  if (!x.is_integer()) return node.Finish(quant::ToInteger{all}, {x});
  using Kind = quant::IntegerArithmetic::Kind;
  ASSIGN_OR_RETURN(const Operand mask, node.NewConstant(count - 1, "mask"));
  if (!type.is_signed) return node.Finish(quant::IntegerArithmetic{Kind::kBitAnd}, {x, mask});
  ASSIGN_OR_RETURN(const Operand half, node.NewConstant(shift, "half"));
  ASSIGN_OR_RETURN(const Operand raised,
                   node.Emit(quant::IntegerArithmetic{Kind::kAdd}, {x, half}, "raised"));
  ASSIGN_OR_RETURN(const Operand wrapped,
                   node.Emit(quant::IntegerArithmetic{Kind::kBitAnd}, {raised, mask}, "wrapped"));
  return node.Finish(quant::IntegerArithmetic{Kind::kSub}, {wrapped, half});
}

}  // namespace

absl::Status ImportConstant(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(0, 0));
  const AttributeProto* found = nullptr;
  for (const char* name : {"value", "value_float", "value_floats", "value_int", "value_ints"}) {
    const AttributeProto* attribute = node.attributes().Find(name);
    if (attribute == nullptr) continue;
    if (found != nullptr) return MakeError(label::model_malformed, "Constant has two values");
    found = attribute;
  }
  RETURN_IF_ERROR(node.attributes().CheckAllRead());  // first, to name a kind of value that is not read
  if (found == nullptr) return MakeError(label::model_malformed, "Constant has no value");
  const auto codes_type =
      found->type() == AttributeProto::TENSOR ? CodeTypeOf(found->t().data_type()) : std::nullopt;
  if (codes_type.has_value()) {
    ASSIGN_OR_RETURN(Int64Tensor codes, DecodeCodes(found->t()));
    ASSIGN_OR_RETURN(Operand constant, node.NewConstant(std::move(codes), "codes"));
    constant.codes = Codes{.type = *codes_type};
    return node.FinishAs(constant);
  }
  ASSIGN_OR_RETURN(quant::Tensor value, ConstantValue(*found));
  return node.FinishAsConstant(std::move(value));
}

absl::Status ImportShape(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  const int64_t rank = static_cast<int64_t>(x.shape().size());
  ASSIGN_OR_RETURN(const int64_t start, node.attributes().Int("start", 0));
  ASSIGN_OR_RETURN(const int64_t end, node.attributes().Int("end", rank));
  const int64_t first = ClampedPosition(start, rank);
  const int64_t last = std::max(first, ClampedPosition(end, rank));
  Int64Tensor shape{{last - first}, {x.shape().begin() + first, x.shape().begin() + last}};
  return node.FinishAsConstant(std::move(shape));
}

absl::Status ImportSize(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.FinishAsConstant(Int64Tensor{{}, {quant::NumElements(x.shape())}});
}

absl::Status ImportConstantOfShape(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Int64Tensor* shape, node.IntConstant(0));
  quant::Tensor value = FloatTensor{{1}, {0}};
  if (const AttributeProto* attribute = node.attributes().Find("value")) {
    ASSIGN_OR_RETURN(value, ConstantValue(*attribute));
  }
  if (quant::NumElements(quant::ShapeOf(value)) != 1) {
    return MakeError(label::model_malformed, "attribute value is not one number");
  }
  // An empty list says that nothing is to be added to another one.
  if (shape->data == quant::Shape{0}) {
    return node.FinishAsConstant(std::visit(
        [](const auto& v) -> quant::Tensor {
          return std::decay_t<decltype(v)>{{0}, {}};
        },
        value));
  }
  return node.FinishFilled(shape->data, value);
}

absl::Status ImportRange(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand start, node.Input(0));
  node.attributes().Ignore("stash_type");  // says something about 16-bit floats only, which are float32
  return start.type.element == quant::ElementType::kInt64 ? FinishRange<int64_t>(node)
                                                          : FinishRange<float>(node);
}

// Between float types, or between integer types, nothing: the graph has one of each, and emulates no
// narrower one. Of constants, what C says: integers lose their fraction, and a boolean is 0 or 1.
absl::Status ImportCast(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand given, node.CodesInput(0));
  ASSIGN_OR_RETURN(const Operand x, given.codes.has_value() ? node.IntegerInput(0) : node.InputOrEmpty(0));
  if (node.attributes().Find("to") == nullptr)
    return MakeError(label::model_malformed, "attribute to is missing");
  ASSIGN_OR_RETURN(const int64_t to, node.attributes().Int("to", 0));
  for (const char* of_small_floats : {"saturate", "round_mode"}) node.attributes().Ignore(of_small_floats);
  const bool to_bool = to == TensorProto::BOOL;
  const auto narrow = CodeTypeOf(static_cast<int>(to));
  if (narrow.has_value() && narrow->bits >= 8) return FinishNarrowCast(node, x, *narrow);
  ASSIGN_OR_RETURN(const quant::ElementType element,
                   to_bool ? quant::ElementType::kInt64 : ElementTypeFrom(to));
  if (element == x.type.element && !to_bool) return node.FinishAs(x);
  if (!x.is_constant()) return FinishCast(node, x, to_bool);
  if (element == quant::ElementType::kFloat32) {
    ASSIGN_OR_RETURN(const Int64Tensor* integers, node.IntConstant(0));
    return node.FinishAsConstant(
        FloatTensor{integers->shape, {integers->data.begin(), integers->data.end()}});
  }
  Int64Tensor integers{x.shape(), {}};
  const auto convert = [&](const auto& from) {
    for (const auto number : from.data) {
      // Beyond what a float distinguishes there is no meaning, and below it none beyond 64 bits.
      if (!(std::abs(static_cast<double>(number)) < 0x1p62)) return false;
      integers.data.push_back(to_bool ? number != 0 : static_cast<int64_t>(number));
    }
    return true;
  };
  if (!std::visit(convert, *x.constant)) {
    return MakeError(label::model_unsupported_operand, "a number to cast leaves 62 bits");
  }
  return node.FinishAsConstant(std::move(integers));
}

}  // namespace tally::onnx
