#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/image.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

absl::StatusOr<ImageWindow> ReadPool(NodeContext& node, const Operand& x) {
  ASSIGN_OR_RETURN(const ImageWindow window, ReadImageWindow(node.attributes(), x.shape()));
  if (window.dilation != quant::Extent2d{}) {
    return MakeError(label::onnx_unsupported_attribute, "dilations of a pool other than 1 are not imported");
  }
  return window;
}

// The pool that `pool_of` makes for all pixels of a channel, [N, C, ..] -> [N, C, 1, ..].
template <typename PoolOf>
absl::Status FinishGlobalPool(NodeContext& node, PoolOf pool_of) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  quant::Shape shape = x.shape();
  if (shape.size() < 3) {
    return MakeError(label::onnx_shape, "x is " + quant::ToString(shape) + " and has no spatial axes");
  }
  if (shape.size() == 4) return node.Finish(pool_of(quant::Extent2d{shape[2], shape[3]}), {x});
  const quant::Extent2d row = {1, quant::NumElements(shape) / (shape[0] * shape[1])};
  ASSIGN_OR_RETURN(const Operand image,
                   node.Emit(quant::Reshape{{shape[0], shape[1], row.y, row.x}}, {x}, "image"));
  ASSIGN_OR_RETURN(const Operand pooled, node.Emit(pool_of(row), {image}, "pooled"));
  std::fill(shape.begin() + 2, shape.end(), 1);
  return node.Finish(quant::Reshape{std::move(shape)}, {pooled});
}

}  // namespace

absl::Status ImportMaxPool(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const ImageWindow window, ReadPool(node, x));
  node.attributes().Ignore("storage_order");  // the order of the indices, which nobody can read
  ASSIGN_OR_RETURN(const Operand image, AsImage(node, x, "image"));
  return FinishFromImage(node, quant::MaxPool2d{window.kernel, window.stride, window.pad}, {image},
                         x.shape().size());
}

absl::Status ImportAveragePool(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const ImageWindow window, ReadPool(node, x));
  ASSIGN_OR_RETURN(bool count_include_pad, node.attributes().Bool("count_include_pad", false));
  // Exporters set count_include_pad as a matter of course; without pads it says nothing. With pads, a window
  // that ceil_mode extends would count the file's pads and not the extension.
  if (!window.has_pads) count_include_pad = false;
  if (count_include_pad && window.ceil_adds_pads) {
    return MakeError(label::onnx_unsupported_attribute,
                     "count_include_pad with pads and ceil_mode is not imported");
  }
  ASSIGN_OR_RETURN(const Operand image, AsImage(node, x, "image"));
  return FinishFromImage(node,
                         quant::AveragePool2d{window.kernel, window.stride, window.pad, count_include_pad},
                         {image}, x.shape().size());
}

absl::Status ImportGlobalAveragePool(NodeContext& node) {
  return FinishGlobalPool(node, [](const quant::Extent2d&) { return quant::GlobalAveragePool{}; });
}

absl::Status ImportGlobalMaxPool(NodeContext& node) {
  return FinishGlobalPool(node,
                          [](const quant::Extent2d& kernel) { return quant::MaxPool2d{.kernel = kernel}; });
}

}  // namespace tally::onnx
