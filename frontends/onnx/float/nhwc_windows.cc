// Convolutions and pools of the NHWC dialect: those of the graph, between transposes of which the pass
// cancel_transposes leaves none between two layers.
#include <string>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/windows.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_windows.h"

namespace tally::onnx {
namespace {

using quant::Shape;

std::span<const int64_t> DimsBetween(const Shape& shape) {
  return std::span(shape).subspan(1, shape.size() - 2);
}

absl::Status CheckImage(const Operand& x) {
  const size_t rank = x.shape().size();
  if (rank >= 3 && rank <= 5) return absl::OkStatus();
  return MakeError(label::model_shape,
                   "x is " + quant::ToString(x.shape()) + ", not [N, .., C] of one to three spatial axes");
}

struct Image {
  Operand x;  // [N, C, ..]
  LayerWindows windows;
};

absl::StatusOr<Image> ReadPool(NodeContext& node) {
  Image read;
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  RETURN_IF_ERROR(CheckImage(x));
  ASSIGN_OR_RETURN(read.windows, ReadNhwcWindows(node.attributes(), DimsBetween(x.shape()), std::nullopt));
  ASSIGN_OR_RETURN(read.x, ChannelsFirst(node, x));
  return read;
}

absl::Status FinishChannelsLast(NodeContext& node, const absl::StatusOr<Operand>& y) {
  RETURN_IF_ERROR(y.status());
  return node.FinishAs(ChannelsLast(node, *y));
}

using GlobalPool = absl::StatusOr<Operand> (*)(Emitter&, const Operand&);
absl::Status FinishGlobalPool(NodeContext& node, GlobalPool pool) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  RETURN_IF_ERROR(CheckImage(x));
  ASSIGN_OR_RETURN(const Operand first, ChannelsFirst(node, x));
  return FinishChannelsLast(node, pool(node, first));
}

// Where the weight fits ONNX's own layout alone, the file says so.
absl::Status CheckWeight(const Shape& x, const Shape& weight, int64_t groups) {
  const std::string shapes = "the weight is " + quant::ToString(weight) + " for x " + quant::ToString(x);
  if (weight.size() != x.size()) return MakeError(label::model_shape, shapes);
  if (groups < 1) return MakeError(label::model_malformed, "group is " + std::to_string(groups));
  if (x.back() % groups == 0 && weight.back() == x.back() / groups) return absl::OkStatus();
  return MakeError(label::model_shape,
                   shapes +
                       ", where the NHWC dialect has [M, kernel.., C / group]: a file of ONNX's own "
                       "layout is imported without --dialect");
}

}  // namespace

absl::Status ImportNhwcAveragePool(NodeContext& node) {
  ASSIGN_OR_RETURN(const Image read, ReadPool(node));
  return FinishChannelsLast(node, AveragePool(node, read.x, read.windows, /*count_include_pad=*/false));
}

absl::Status ImportNhwcMaxPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const Image read, ReadPool(node));
  return FinishChannelsLast(node, MaxPool(node, read.x, read.windows));
}

absl::Status ImportNhwcGlobalAveragePool(NodeContext& node) {
  return FinishGlobalPool(node, GlobalAveragePool);
}

absl::Status ImportNhwcGlobalMaxPool(NodeContext& node) { return FinishGlobalPool(node, GlobalMaxPool); }

absl::Status ImportNhwcConv(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand weight, node.Input(1));
  RETURN_IF_ERROR(CheckImage(x));
  ASSIGN_OR_RETURN(const int64_t groups, node.attributes().Int("group", 1));
  RETURN_IF_ERROR(CheckWeight(x.shape(), weight.shape(), groups));
  const auto kernel = DimsBetween(weight.shape());
  ASSIGN_OR_RETURN(const LayerWindows windows, ReadNhwcWindows(node.attributes(), DimsBetween(x.shape()),
                                                               Extents(kernel.begin(), kernel.end())));
  ConvOperands operands;
  ASSIGN_OR_RETURN(operands.x, ChannelsFirst(node, x));
  ASSIGN_OR_RETURN(operands.weight, ChannelsFirst(node, weight, "weight"));
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(operands.bias, node.Input(2));
  }
  return FinishChannelsLast(node, Convolution(node, operands, windows, groups));
}

// Output channel k * multiplier + q is channel k by filter q, as TensorFlow has them.
absl::Status ImportNhwcDepthwiseConv2d(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  RETURN_IF_ERROR(node.FloatConstant(1).status());
  ASSIGN_OR_RETURN(const Operand weight, node.Input(1));
  const Shape& filter = weight.shape();
  if (x.shape().size() != 4 || filter.size() != 4 || filter[2] != x.shape()[3]) {
    return MakeError(label::model_shape, "the weight is " + quant::ToString(filter) + " for x " +
                                             quant::ToString(x.shape()) +
                                             ", not [kH, kW, C, multiplier] for [N, H, W, C]");
  }
  node.attributes().Ignore("group");  // each channel is one
  ASSIGN_OR_RETURN(const LayerWindows windows,
                   ReadNhwcWindows(node.attributes(), DimsBetween(x.shape()), Extents{filter[0], filter[1]}));
  for (size_t i = 0; i < 2; ++i) {
    if (windows.dilation[i] > 1 && (windows.stride[0] > 1 || windows.stride[1] > 1)) {
      return MakeError(label::model_malformed,
                       "it has dilations and strides, of which the NHWC dialect allows one");
    }
  }
  ConvOperands operands;
  ASSIGN_OR_RETURN(operands.x, ChannelsFirst(node, x));
  ASSIGN_OR_RETURN(const Operand moved, node.Emit(quant::Transpose{{2, 3, 0, 1}}, {weight}, "weight_moved"));
  const Shape shape = {filter[2] * filter[3], 1, filter[0], filter[1]};
  ASSIGN_OR_RETURN(operands.weight, node.Emit(quant::Reshape{shape}, {moved}, "weight"));
  return FinishChannelsLast(node, Convolution(node, operands, windows, filter[2]));
}

// Its document keeps [N, C, H, W] for this operator alone, "until one is met", and states pads in two ways.
absl::Status RefuseNhwcConvTranspose(NodeContext&) {
  return MakeError(
      label::model_unsupported_operator,
      "the NHWC dialect leaves the layout of ConvTranspose open; write the layer as UpSampling2D and "
      "Conv, or export as ordinary ONNX");
}

}  // namespace tally::onnx
