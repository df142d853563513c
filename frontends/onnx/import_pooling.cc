#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"
#include "frontends/onnx/window.h"

namespace tally::onnx {
namespace {

absl::StatusOr<Window> ReadPool(NodeContext& node, const Operand& x) {
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node.attributes(), x.shape(), std::nullopt));
  if (window.dilation != quant::Extent2d{}) {
    return MakeError(label::onnx_unsupported_attribute, "dilations of a pool other than 1 are not imported");
  }
  return window;
}

}  // namespace

absl::Status ImportMaxPool(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Window window, ReadPool(node, x));
  node.attributes().Ignore("storage_order");  // the order of the indices, which nobody can read
  return node.Finish(quant::MaxPool2d{window.kernel, window.stride, window.pad}, {x});
}

absl::Status ImportAveragePool(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Window window, ReadPool(node, x));
  ASSIGN_OR_RETURN(bool count_include_pad, node.attributes().Bool("count_include_pad", false));
  // Exporters set count_include_pad as a matter of course; without pads it says nothing. With pads, a window
  // that ceil_mode extends would count the file's pads and not the extension.
  if (!window.has_pads) count_include_pad = false;
  if (count_include_pad && window.ceil_adds_pads) {
    return MakeError(label::onnx_unsupported_attribute,
                     "count_include_pad with pads and ceil_mode is not imported");
  }
  return node.Finish(quant::AveragePool2d{window.kernel, window.stride, window.pad, count_include_pad}, {x});
}

absl::Status ImportGlobalAveragePool(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  return node.Finish(quant::GlobalAveragePool{}, {x});
}

}  // namespace tally::onnx
