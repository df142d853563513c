#include "frontends/onnx/image.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/window.h"
#include "ops/window.h"

namespace tally::onnx {
namespace {

using quant::Extent2d;

std::span<const int64_t> SpatialDims(const quant::Shape& shape) { return std::span(shape).subspan(2); }

absl::Status CheckRank(const quant::Shape& x) {
  if (x.size() == 3 || x.size() == 4) return absl::OkStatus();
  return MakeError(label::onnx_shape, "x is " + quant::ToString(x) +
                                          "; only windows over [N, C, L] and [N, C, H, W] are imported");
}

Extents KernelOf(const quant::Shape& weight) { return {weight.begin() + 2, weight.end()}; }

// The number of W, the last axis, and that of H, which is `neutral` where W is the only axis.
Extent2d InImage(const Extents& numbers, int64_t neutral) {
  return {numbers.size() == 1 ? neutral : numbers[0], numbers.back()};
}

// What ceil_mode adds after the pads: room for the partial window that it has more.
int64_t CeilPadding(const NodeWindows& windows, size_t axis, int64_t length) {
  const Window window = {.size = windows.kernel[axis],
                         .stride = windows.stride[axis],
                         .dilation = windows.dilation[axis],
                         .pad_begin = windows.pad_begin[axis],
                         .pad_end = windows.pad_end[axis]};
  const int64_t padded = window.pad_begin + length + window.pad_end;
  if (padded < window.extent()) return 0;  // the graph's own rule refuses this window
  const int64_t last = CountWindows(window, length, true) - 1;
  return std::max<int64_t>(last * window.stride + window.extent() - padded, 0);
}

ImageWindow OfImage(const NodeWindows& windows) {
  const Extent2d begin = InImage(windows.pad_begin, 0), end = InImage(windows.pad_end, 0);
  return {.kernel = InImage(windows.kernel, 1),
          .stride = InImage(windows.stride, 1),
          .dilation = InImage(windows.dilation, 1),
          .pad = {begin.y, begin.x, end.y, end.x}};
}

}  // namespace

absl::StatusOr<ImageWindow> ReadImageWindow(Attributes& attributes, const quant::Shape& x) {
  RETURN_IF_ERROR(CheckRank(x));
  const std::span<const int64_t> dims = SpatialDims(x);
  ASSIGN_OR_RETURN(NodeWindows windows, ReadWindows(attributes, dims, std::nullopt, true));
  const bool has_pads = windows.has_pads();
  bool ceil_adds_pads = false;
  for (size_t axis = 0; axis < dims.size() && windows.ceil_mode; ++axis) {
    const int64_t extra = CeilPadding(windows, axis, dims[axis]);
    ceil_adds_pads |= extra > 0;
    windows.pad_end[axis] += extra;
  }
  ImageWindow image = OfImage(windows);
  image.has_pads = has_pads;
  image.ceil_adds_pads = ceil_adds_pads;
  return image;
}

absl::StatusOr<ImageWindow> ReadConvWindow(Attributes& attributes, const quant::Shape& x,
                                           const quant::Shape& weight) {
  RETURN_IF_ERROR(CheckRank(x));
  ASSIGN_OR_RETURN(const NodeWindows windows, ReadWindows(attributes, SpatialDims(x), KernelOf(weight)));
  return OfImage(windows);
}

absl::StatusOr<ImageWindow> ReadTransposedWindow(Attributes& attributes, const quant::Shape& x,
                                                 const quant::Shape& weight) {
  RETURN_IF_ERROR(CheckRank(x));
  ASSIGN_OR_RETURN(const NodeWindows windows,
                   ReadTransposedWindows(attributes, SpatialDims(x), KernelOf(weight)));
  ImageWindow image = OfImage(windows);
  image.output_padding = InImage(windows.output_padding, 0);
  return image;
}

absl::StatusOr<Operand> AsImage(NodeContext& node, const Operand& x, std::string_view step) {
  const quant::Shape& shape = x.shape();
  if (shape.size() != 3) return x;
  return node.Emit(quant::Reshape{{shape[0], shape[1], 1, shape[2]}}, {x}, step);
}

absl::Status FinishFromImage(NodeContext& node, quant::Op op, const std::vector<Operand>& operands,
                             size_t rank) {
  if (rank != 3) return node.Finish(std::move(op), operands);
  ASSIGN_OR_RETURN(const Operand y, node.Emit(std::move(op), operands, "of_image"));
  return node.Finish(quant::Reshape{{y.shape()[0], y.shape()[1], y.shape()[3]}}, {y});
}

}  // namespace tally::onnx
