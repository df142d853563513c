#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"
#include "frontends/onnx/window.h"

namespace tally::onnx {

absl::Status ImportConv(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand weight, node.Input(1));
  if (weight.shape().size() != 4) {
    return MakeError(label::onnx_shape,
                     "the weight is " + quant::ToString(weight.shape()) +
                         "; only 2-D convolutions, [OC, IC / group, KH, KW], are imported");
  }
  if (node.attributes().Find("ceil_mode") != nullptr) {
    return MakeError(label::onnx_malformed, "a convolution has no ceil_mode");
  }
  const quant::Extent2d kernel = {weight.shape()[2], weight.shape()[3]};
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node.attributes(), x.shape(), kernel));
  ASSIGN_OR_RETURN(const int64_t groups, node.attributes().Int("group", 1));
  std::vector<Operand> operands = {x, weight};
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(Operand bias, node.Input(2));
    operands.push_back(std::move(bias));
  }
  return node.Finish(quant::Conv2d{window.stride, window.dilation, window.pad, groups}, operands);
}

}  // namespace tally::onnx
