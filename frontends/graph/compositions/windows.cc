#include "frontends/graph/compositions/windows.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

using quant::Extent2d;

namespace {

// The number of W, the last axis, and that of H, which is `neutral` where W is the only axis.
Extent2d InImage(const Extents& numbers, int64_t neutral) {
  return {numbers.size() == 1 ? neutral : numbers[0], numbers.back()};
}

quant::Padding2d PadsInImage(const LayerWindows& windows) {
  const Extent2d begin = InImage(windows.pad_begin, 0), end = InImage(windows.pad_end, 0);
  return {begin.y, begin.x, end.y, end.x};
}

// Any other rank stays as it is.
absl::StatusOr<Operand> AsImage(Emitter& emitter, const Operand& x, std::string_view step) {
  const quant::Shape& shape = x.shape();
  if (shape.size() != 3) return x;
  return emitter.Emit(quant::Reshape{{shape[0], shape[1], 1, shape[2]}}, {x}, step);
}

// The result of `op` on images, without its axis of one row where `rank`, that of x, is 3.
absl::StatusOr<Operand> OnImages(Emitter& emitter, quant::Op op, const std::vector<Operand>& operands,
                                 size_t rank) {
  ASSIGN_OR_RETURN(const Operand y, emitter.Emit(std::move(op), operands, "of_image"));
  if (rank != 3) return y;
  return emitter.Emit(quant::Reshape{{y.shape()[0], y.shape()[1], y.shape()[3]}}, {y}, "row");
}

absl::StatusOr<std::vector<Operand>> ImagesOf(Emitter& emitter, const ConvOperands& operands) {
  ASSIGN_OR_RETURN(Operand image, AsImage(emitter, operands.x, "image"));
  ASSIGN_OR_RETURN(Operand weight, AsImage(emitter, operands.weight, "weight"));
  std::vector<Operand> images = {std::move(image), std::move(weight)};
  if (operands.bias.has_value()) images.push_back(*operands.bias);
  return images;
}

// What ceil_mode adds at the end becomes pads. Returns whether that is anything.
bool AddCeilPads(LayerWindows& windows, const quant::Shape& x) {
  bool adds = false;
  for (size_t axis = 0; axis + 2 < x.size() && windows.ceil_mode; ++axis) {
    const int64_t extra = windows.CeilPadding(axis, x[axis + 2]);
    adds |= extra > 0;
    windows.pad_end[axis] += extra;
  }
  return adds;
}

absl::Status CheckNotDilated(const LayerWindows& windows) {
  if (std::ranges::all_of(windows.dilation, [](int64_t d) { return d == 1; })) return absl::OkStatus();
  return MakeError(label::model_unsupported_attribute, "dilations of a pool other than 1 are not imported");
}

// The pool that `pool_of` makes for all pixels of a channel.
template <typename PoolOf>
absl::StatusOr<Operand> GlobalPool(Emitter& emitter, const Operand& x, PoolOf pool_of) {
  quant::Shape shape = x.shape();
  if (shape.size() < 3) {
    return MakeError(label::model_shape, "x is " + quant::ToString(shape) + " and has no spatial axes");
  }
  if (shape.size() == 4) return emitter.Emit(pool_of(Extent2d{shape[2], shape[3]}), {x}, "pooled");
  const Extent2d row = {1, quant::NumElements(shape) / (shape[0] * shape[1])};
  ASSIGN_OR_RETURN(const Operand image,
                   emitter.Emit(quant::Reshape{{shape[0], shape[1], row.y, row.x}}, {x}, "image"));
  ASSIGN_OR_RETURN(const Operand pooled, emitter.Emit(pool_of(row), {image}, "pooled"));
  std::fill(shape.begin() + 2, shape.end(), 1);
  return emitter.Emit(quant::Reshape{std::move(shape)}, {pooled}, "pixel");
}

}  // namespace

absl::Status CheckConvOperands(const ConvOperands& operands) {
  const quant::Shape &x = operands.x.shape(), &weight = operands.weight.shape();
  if ((weight.size() == 3 || weight.size() == 4) && x.size() == weight.size()) return absl::OkStatus();
  return MakeError(label::model_shape,
                   "x is " + quant::ToString(x) + " and the weight is " + quant::ToString(weight) +
                       "; the weight of a convolution has the rank of x, 3 (1-D) or 4 (2-D)");
}

absl::StatusOr<Operand> Convolution(Emitter& emitter, const ConvOperands& operands,
                                    const LayerWindows& windows, int64_t groups) {
  ASSIGN_OR_RETURN(const std::vector<Operand> images, ImagesOf(emitter, operands));
  const quant::Conv2d conv = {InImage(windows.stride, 1), InImage(windows.dilation, 1), PadsInImage(windows),
                              groups};
  return OnImages(emitter, conv, images, operands.x.shape().size());
}

absl::StatusOr<Operand> TransposedConvolution(Emitter& emitter, const ConvOperands& operands,
                                              const LayerWindows& windows, int64_t groups) {
  ASSIGN_OR_RETURN(const std::vector<Operand> images, ImagesOf(emitter, operands));
  const quant::ConvTranspose2d conv = {InImage(windows.stride, 1), InImage(windows.dilation, 1),
                                       PadsInImage(windows), InImage(windows.output_padding, 0), groups};
  return OnImages(emitter, conv, images, operands.x.shape().size());
}

absl::Status CheckPoolOperand(const Operand& x) {
  if (x.shape().size() == 3 || x.shape().size() == 4) return absl::OkStatus();
  return MakeError(label::model_shape, "x is " + quant::ToString(x.shape()) +
                                           "; only windows over [N, C, L] and [N, C, H, W] are imported");
}

absl::StatusOr<Operand> MaxPool(Emitter& emitter, const Operand& x, const LayerWindows& windows) {
  RETURN_IF_ERROR(CheckNotDilated(windows));
  LayerWindows padded = windows;
  AddCeilPads(padded, x.shape());
  ASSIGN_OR_RETURN(const Operand image, AsImage(emitter, x, "image"));
  const quant::MaxPool2d pool = {InImage(windows.kernel, 1), InImage(windows.stride, 1), PadsInImage(padded)};
  return OnImages(emitter, pool, {image}, x.shape().size());
}

absl::StatusOr<Operand> AveragePool(Emitter& emitter, const Operand& x, const LayerWindows& windows,
                                    bool count_include_pad) {
  RETURN_IF_ERROR(CheckNotDilated(windows));
  LayerWindows padded = windows;
  const bool ceil_adds_pads = AddCeilPads(padded, x.shape());
  // Without pads, count_include_pad says nothing. With pads, a window that ceil_mode extends would count the
  // file's pads and not the extension.
  const bool counts_pads = count_include_pad && windows.has_pads();
  if (counts_pads && ceil_adds_pads) {
    return MakeError(label::model_unsupported_attribute,
                     "count_include_pad with pads and ceil_mode is not imported");
  }
  ASSIGN_OR_RETURN(const Operand image, AsImage(emitter, x, "image"));
  const quant::AveragePool2d pool = {InImage(windows.kernel, 1), InImage(windows.stride, 1),
                                     PadsInImage(padded), counts_pads};
  return OnImages(emitter, pool, {image}, x.shape().size());
}

absl::StatusOr<Operand> GlobalAveragePool(Emitter& emitter, const Operand& x) {
  return GlobalPool(emitter, x, [](const Extent2d&) { return quant::GlobalAveragePool{}; });
}

absl::StatusOr<Operand> GlobalMaxPool(Emitter& emitter, const Operand& x) {
  return GlobalPool(emitter, x, [](const Extent2d& kernel) { return quant::MaxPool2d{.kernel = kernel}; });
}

}  // namespace tally::frontend
