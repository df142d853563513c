#include "base/status_macros.h"
#include "frontends/onnx/axis.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {

absl::Status ImportGather(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(1));
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  ASSIGN_OR_RETURN(const quant::Int64Tensor* places, node.IntConstant(1));
  for (const int64_t place : places->data) {
    RETURN_IF_ERROR(NormalizeAxis(place, static_cast<size_t>(x.shape()[static_cast<size_t>(axis)])).status());
  }
  return node.Finish(quant::Gather{axis}, {x, indices});
}

}  // namespace tally::onnx
