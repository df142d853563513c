// Constants, and the operators with which exporters compute shapes from shapes; as shapes are static, all
// of that happens at import.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/axis.h"
#include "frontends/onnx/decode_tensor.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

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
    default: return MakeError(label::onnx_malformed, "the value of Constant is not of its type");
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
      return MakeError(label::onnx_unsupported_type,
                       "element type " + std::to_string(data_type) + " is not imported");
  }
}

// The data of input 0, a list of integers known at import.
absl::StatusOr<const Int64Tensor*> ConstantList(const NodeContext& node) {
  ASSIGN_OR_RETURN(const Int64Tensor* list, node.IntConstant(0));
  if (list->shape.size() == 1) return list;
  return MakeError(label::onnx_unsupported_operand,
                   "only lists of integers are read, not " + quant::ToString(list->shape));
}

// The only element of an optional input.
absl::StatusOr<int64_t> OptionalScalar(const NodeContext& node, size_t index, int64_t fallback) {
  if (!node.HasInput(index)) return fallback;
  ASSIGN_OR_RETURN(const Int64Tensor* tensor, node.IntConstant(index));
  if (tensor->data.size() == 1) return tensor->data[0];
  return MakeError(label::onnx_unsupported_operand,
                   "input " + std::to_string(index) + " is not a single number");
}

// A position in a list of `size` elements, counted from the end where negative, and clamped to [0, size].
int64_t ClampedPosition(int64_t position, int64_t size) {
  return std::clamp<int64_t>(position < 0 ? std::max(position, -size) + size : position, 0, size);
}

}  // namespace

absl::Status ImportConstant(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(0, 0));
  const AttributeProto* found = nullptr;
  for (const char* name : {"value", "value_float", "value_floats", "value_int", "value_ints"}) {
    const AttributeProto* attribute = node.attributes().Find(name);
    if (attribute == nullptr) continue;
    if (found != nullptr) return MakeError(label::onnx_malformed, "Constant has two values");
    found = attribute;
  }
  RETURN_IF_ERROR(node.attributes().CheckAllRead());  // first, to name a kind of value that is not read
  if (found == nullptr) return MakeError(label::onnx_malformed, "Constant has no value");
  ASSIGN_OR_RETURN(quant::Tensor value, ConstantValue(*found));
  return node.FinishAsConstant(std::move(value));
}

absl::Status ImportShape(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  const int64_t rank = static_cast<int64_t>(x.shape().size());
  ASSIGN_OR_RETURN(const int64_t start, node.attributes().Int("start", 0));
  ASSIGN_OR_RETURN(const int64_t end, node.attributes().Int("end", rank));
  const int64_t first = ClampedPosition(start, rank);
  const int64_t last = std::max(first, ClampedPosition(end, rank));
  Int64Tensor shape{{last - first}, {x.shape().begin() + first, x.shape().begin() + last}};
  return node.FinishAsConstant(std::move(shape));
}

absl::Status ImportGather(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Int64Tensor* list, ConstantList(node));
  ASSIGN_OR_RETURN(const Int64Tensor* indices, node.IntConstant(1));
  ASSIGN_OR_RETURN(const int64_t axis, node.attributes().Int("axis", 0));
  RETURN_IF_ERROR(NormalizeAxis(axis, 1).status());
  Int64Tensor result{indices->shape, {}};
  for (const int64_t wanted : indices->data) {
    ASSIGN_OR_RETURN(const int64_t index, NormalizeAxis(wanted, list->data.size()));
    result.data.push_back(list->data[static_cast<size_t>(index)]);
  }
  return node.FinishAsConstant(std::move(result));
}

absl::Status ImportSlice(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 5));
  ASSIGN_OR_RETURN(const Int64Tensor* list, ConstantList(node));
  const int64_t size = static_cast<int64_t>(list->data.size());
  ASSIGN_OR_RETURN(const int64_t start, OptionalScalar(node, 1, 0));
  ASSIGN_OR_RETURN(const int64_t end, OptionalScalar(node, 2, size));
  ASSIGN_OR_RETURN(const int64_t axis, OptionalScalar(node, 3, 0));
  ASSIGN_OR_RETURN(const int64_t step, OptionalScalar(node, 4, 1));
  RETURN_IF_ERROR(NormalizeAxis(axis, 1).status());
  if (step != 1)
    return MakeError(label::onnx_unsupported_operand, "slices with a step other than 1 are not imported");
  const int64_t first = ClampedPosition(start, size);
  const int64_t last = std::max(first, ClampedPosition(end, size));
  return node.FinishAsConstant(
      Int64Tensor{{last - first}, {list->data.begin() + first, list->data.begin() + last}});
}

// Between float types, or between integer types, nothing: the graph has one of each, and emulates no
// narrower one.
absl::Status ImportCast(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  if (node.attributes().Find("to") == nullptr)
    return MakeError(label::onnx_malformed, "attribute to is missing");
  ASSIGN_OR_RETURN(const int64_t to, node.attributes().Int("to", 0));
  node.attributes().Ignore("saturate");  // says something about 8-bit floats only
  ASSIGN_OR_RETURN(const quant::ElementType element, ElementTypeFrom(to));
  if (element == x.type.element) return node.FinishAs(x);
  if (element == quant::ElementType::kInt64) {
    return MakeError(label::onnx_unsupported_type, "casts from floats to integers are not imported");
  }
  ASSIGN_OR_RETURN(const Int64Tensor* integers, node.IntConstant(0));
  FloatTensor floats{integers->shape, {}};
  for (const int64_t integer : integers->data) floats.data.push_back(static_cast<float>(integer));
  return node.FinishAsConstant(std::move(floats));
}

}  // namespace tally::onnx
