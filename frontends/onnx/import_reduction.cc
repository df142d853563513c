#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/axis.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {

using quant::Shape;

absl::Status ImportSoftmax(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  return node.Finish(quant::Softmax{axis}, {x});
}

// Before opset 13: over all dimensions from `axis` on, as if they were one.
absl::Status ImportFlatSoftmax(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  const Shape& shape = x.shape();
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, shape.size()));
  const int64_t num_lines = quant::NumElements(Shape(shape.begin(), shape.begin() + axis));
  const int64_t size = quant::NumElements(shape) / num_lines;
  if (size == shape[axis]) return node.Finish(quant::Softmax{axis}, {x});
  ASSIGN_OR_RETURN(const Operand flat, node.Emit(quant::Reshape{{num_lines, size}}, {x}, "flat"));
  ASSIGN_OR_RETURN(const Operand softmax, node.Emit(quant::Softmax{1}, {flat}, "softmax"));
  return node.Finish(quant::Reshape{shape}, {softmax});
}

absl::Status ImportArgMax(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  ASSIGN_OR_RETURN(const bool keep_dimension, node.attributes().Bool("keepdims", true));
  ASSIGN_OR_RETURN(const bool last, node.attributes().Bool("select_last_index", false));
  if (last) return MakeError(label::onnx_unsupported_attribute, "select_last_index = 1 is not imported");
  return node.Finish(quant::ArgMax{axis, keep_dimension}, {x});
}

}  // namespace tally::onnx
