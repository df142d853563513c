// Convolutions and pools of images, and of volumes.
#include "frontends/graph/compositions/windows.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/compositions/arithmetic.h"

namespace tally::coreml {
namespace {

using quant::Shape;

// Two sizes, of H and W, or the one that they are where there are none.
template <typename Repeated>
absl::StatusOr<Extents> TwoSizes(const Repeated& field, int64_t fallback, const char* what) {
  if (field.empty()) return Extents{fallback, fallback};
  Extents sizes;
  for (const auto value : field) {
    ASSIGN_OR_RETURN(sizes.emplace_back(), SizeOf(value));
  }
  if (sizes.size() == 2) return sizes;
  return Malformed(absl::StrCat(what, " has ", sizes.size(), " numbers, not 2"));
}

absl::Status PadBy(const schema::ValidPadding& valid, LayerWindows& windows) {
  ASSIGN_OR_RETURN(Borders pads, BordersOf(valid.padding_amounts()));
  windows.pad_begin = std::move(pads.before);
  windows.pad_end = std::move(pads.after);
  return absl::OkStatus();
}

absl::StatusOr<AutoPad> SideOf(const schema::SamePadding& same) {
  switch (same.asymmetry_mode()) {
    case schema::SamePadding::BOTTOM_RIGHT_HEAVY: return AutoPad::kSameUpper;
    case schema::SamePadding::TOP_LEFT_HEAVY: return AutoPad::kSameLower;
    default: return UnknownValue("asymmetryMode", same.asymmetry_mode(), "0 (bottom right) and 1 (top left)");
  }
}

LayerWindows NewWindows(size_t axes) {
  const Extents zeros(axes, 0), ones(axes, 1);
  return {.kernel = ones,
          .stride = ones,
          .dilation = ones,
          .pad_begin = zeros,
          .pad_end = zeros,
          .output_padding = zeros};
}

// Cuts a transposed convolution of `dims` to `wanted`, from the given begin on.
void CutFrom(LayerWindows& windows, const Extents& wanted, const Extents& begin,
             std::span<const int64_t> dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t whole = (dims[i] - 1) * windows.stride[i] + windows.kernel[i];
    windows.pad_begin[i] = begin[i];
    const int64_t end = whole - begin[i] - wanted[i];
    windows.pad_end[i] = std::max<int64_t>(end, 0);
    windows.output_padding[i] = std::max<int64_t>(-end, 0);
  }
}

// If the cut of a transposed convolution is not given, it is symmetric, with the larger half where the mode
// says.
absl::Status PadDeconvolution(const schema::Convolution& params, LayerWindows& windows,
                              std::span<const int64_t> dims) {
  const bool has_begin = params.valid().padding_amounts().border_amounts_size() > 0;
  AutoPad how = AutoPad::kSameUpper;
  if (params.has_same()) {
    ASSIGN_OR_RETURN(how, SideOf(params.same()));
  }
  Extents wanted;
  if (params.output_shape_size() > 0) {
    ASSIGN_OR_RETURN(wanted, TwoSizes(params.output_shape(), 1, "outputShape"));
  } else if (params.has_same()) {
    for (size_t i = 0; i < dims.size(); ++i) wanted.push_back(dims[i] * windows.stride[i]);
  }
  if (wanted.empty()) return absl::OkStatus();
  if (has_begin) {
    CutFrom(windows, wanted, Extents(windows.pad_begin), dims);
  } else {
    windows.CutTo(wanted, how, dims);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportConvolution(CoremlLayer& layer) {
  const schema::Convolution& params = layer.file().convolution();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(Images images, layer.ImageInput(0));
  ConvOperands operands = {.x = images.x};
  const bool transposed = params.is_deconvolution();
  LayerWindows windows = NewWindows(2);
  ASSIGN_OR_RETURN(windows.kernel, TwoSizes(params.kernel_size(), 3, "kernelSize"));
  ASSIGN_OR_RETURN(windows.stride, TwoSizes(params.stride(), 1, "stride"));
  ASSIGN_OR_RETURN(const Extents dilation, TwoSizes(params.dilation_factor(), 1, "dilationFactor"));
  if (!transposed) windows.dilation = dilation;
  ASSIGN_OR_RETURN(const int64_t groups, SizeOf(params.n_groups() == 0 ? 1 : params.n_groups()));
  ASSIGN_OR_RETURN(const int64_t out, SizeOf(params.output_channels()));
  ASSIGN_OR_RETURN(const int64_t in, SizeOf(params.kernel_channels()));
  if (layer.num_inputs() == 2) {
    if (transposed) return Unsupported("a deconvolution whose weights are an input");
    ASSIGN_OR_RETURN(operands.weight, layer.Real(1));
    windows.kernel = KernelOf(operands.weight.shape());
    if (windows.kernel.size() != 2)
      return BadShape("its weights are " + quant::ToString(operands.weight.shape()));
  } else {
    const Shape shape = transposed ? Shape{in, out / groups, windows.kernel[0], windows.kernel[1]}
                                   : Shape{out, in, windows.kernel[0], windows.kernel[1]};
    ASSIGN_OR_RETURN(operands.weight, layer.Weight(params.weights(), shape, "weights", transposed ? 1 : 0));
  }
  ASSIGN_OR_RETURN(operands.bias, layer.WeightIf(params.adds_bias(), params.bias(), {out}, "bias"));
  RETURN_IF_ERROR(CheckConvOperands(operands));
  const auto dims = SpatialDims(operands.x.shape());
  switch (params.padding_case()) {
    case schema::Convolution::kValid: RETURN_IF_ERROR(PadBy(params.valid(), windows)); break;
    case schema::Convolution::kSame: {
      ASSIGN_OR_RETURN(const AutoPad how, SideOf(params.same()));
      if (!transposed) windows.PadAutomatically(how, dims);
      break;
    }
    case schema::Convolution::PADDING_NOT_SET: return Malformed("its padding is neither valid nor same");
  }
  if (!transposed) return layer.FinishImages(Convolution(layer, operands, windows, groups), images.leading);
  RETURN_IF_ERROR(PadDeconvolution(params, windows, dims));
  return layer.FinishImages(TransposedConvolution(layer, operands, windows, groups), images.leading);
}

namespace {

// The root of the sum of squares of each window.
absl::StatusOr<Operand> RootPool(CoremlLayer& layer, const Operand& x, LayerWindows windows) {
  for (size_t i = 0; i < 2 && windows.ceil_mode; ++i)
    windows.pad_end[i] += windows.CeilPadding(i, x.shape()[i + 2]);
  windows.ceil_mode = false;  // it adds pads, so that all windows are whole
  ASSIGN_OR_RETURN(const Operand squares, Product(layer, x, x));
  ASSIGN_OR_RETURN(const Operand means, AveragePool(layer, squares, windows, /*count_include_pad=*/true));
  ASSIGN_OR_RETURN(const Operand count,
                   layer.NewConstant(static_cast<float>(windows.kernel[0] * windows.kernel[1]), "count"));
  ASSIGN_OR_RETURN(const Operand sums, Product(layer, means, count));
  return layer.Emit(quant::Unary{RecipeFunction::kSqrt}, {sums}, "root");
}

}  // namespace

absl::Status ImportPooling(CoremlLayer& layer) {
  const schema::Pooling& params = layer.file().pooling();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Images images, layer.ImageInput(0));
  const Operand& x = images.x;
  LayerWindows windows = NewWindows(2);
  if (!params.global_pooling()) {  // the file may say any sizes then
    ASSIGN_OR_RETURN(windows.kernel, TwoSizes(params.kernel_size(), 3, "kernelSize"));
    ASSIGN_OR_RETURN(windows.stride, TwoSizes(params.stride(), 1, "stride"));
  }
  switch (params.padding_case()) {
    case schema::Pooling::kValid: RETURN_IF_ERROR(PadBy(params.valid(), windows)); break;
    case schema::Pooling::kSame: {
      ASSIGN_OR_RETURN(const AutoPad how, SideOf(params.same()));
      windows.PadAutomatically(how, SpatialDims(x.shape()));
      break;
    }
    case schema::Pooling::kIncludeLastPixel: {
      const auto& amounts = params.include_last_pixel().padding_amounts();
      if (!amounts.empty() && amounts.size() != 2)
        return Malformed("paddingAmounts are not those of H and W");
      for (int i = 0; i < amounts.size(); ++i) {
        ASSIGN_OR_RETURN(windows.pad_begin[static_cast<size_t>(i)], NumberOf(amounts.Get(i)));
      }
      windows.pad_end = windows.pad_begin;
      windows.ceil_mode = true;
      break;
    }
    case schema::Pooling::PADDING_NOT_SET:
      if (!params.global_pooling())
        return Malformed("its padding is neither valid, same nor includeLastPixel");
  }
  if (params.global_pooling()) {
    windows = NewWindows(2);
    windows.kernel = {x.shape()[2], x.shape()[3]};
  }
  const bool is_global = params.global_pooling();
  switch (params.type()) {
    case schema::Pooling::MAX:
      return layer.FinishImages(is_global ? GlobalMaxPool(layer, x) : MaxPool(layer, x, windows),
                                images.leading);
    case schema::Pooling::AVERAGE:
      return layer.FinishImages(is_global
                                    ? GlobalAveragePool(layer, x)
                                    : AveragePool(layer, x, windows, !params.avg_pool_exclude_padding()),
                                images.leading);
    case schema::Pooling::L2:
      return layer.FinishImages(RootPool(layer, x, std::move(windows)), images.leading);
    default: return UnknownValue("type", params.type(), "0 (max), 1 (average) and 2 (L2)");
  }
}

namespace {

// Sizes of D, H and W; 0, which is none that the file says, is 1.
absl::StatusOr<Extents> ThreeSizes(int32_t depth, int32_t height, int32_t width) {
  Extents sizes;
  for (const int32_t value : {depth, height, width}) {
    ASSIGN_OR_RETURN(sizes.emplace_back(), SizeOf(value == 0 ? 1 : value));
  }
  return sizes;
}

template <typename Params>
absl::Status PadVolumes(const Params& params, LayerWindows& windows, std::span<const int64_t> dims,
                        bool fits_same) {
  switch (params.padding_type()) {
    case schema::CUSTOM: {
      windows.pad_begin = {params.custom_padding_front(), params.custom_padding_top(),
                           params.custom_padding_left()};
      windows.pad_end = {params.custom_padding_back(), params.custom_padding_bottom(),
                         params.custom_padding_right()};
      const auto is_negative = [](int64_t pad) { return pad < 0; };
      if (std::ranges::any_of(windows.pad_begin, is_negative) ||
          std::ranges::any_of(windows.pad_end, is_negative))
        return Malformed("a padding is negative");
      return absl::OkStatus();
    }
    case schema::VALID: return absl::OkStatus();
    case schema::SAME:
      if (fits_same) windows.PadAutomatically(AutoPad::kSameUpper, dims);
      return absl::OkStatus();
    default: return UnknownValue("paddingType", params.padding_type(), "0 (custom), 1 (valid) and 2 (same)");
  }
}

absl::StatusOr<Operand> VolumeInput(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(Operand x, layer.OnlyReal());
  if (x.shape().size() == 5) return x;
  return BadShape("x is " + quant::ToString(x.shape()) + ", not [N, C, D, H, W]");
}

}  // namespace

absl::Status ImportConvolution3d(CoremlLayer& layer) {
  const schema::Convolution3d& params = layer.file().convolution3d();
  ConvOperands operands;
  ASSIGN_OR_RETURN(operands.x, VolumeInput(layer));
  const bool transposed = params.is_deconvolution();
  LayerWindows windows = NewWindows(3);
  ASSIGN_OR_RETURN(windows.kernel,
                   ThreeSizes(params.kernel_depth(), params.kernel_height(), params.kernel_width()));
  ASSIGN_OR_RETURN(windows.stride,
                   ThreeSizes(params.stride_depth(), params.stride_height(), params.stride_width()));
  ASSIGN_OR_RETURN(const Extents dilation,
                   ThreeSizes(params.dilation_depth(), params.dilation_height(), params.dilation_width()));
  if (!transposed) windows.dilation = dilation;
  ASSIGN_OR_RETURN(const int64_t groups, SizeOf(params.n_groups() == 0 ? 1 : params.n_groups()));
  ASSIGN_OR_RETURN(const int64_t out, SizeOf(params.output_channels()));
  ASSIGN_OR_RETURN(const int64_t in, SizeOf(params.input_channels()));
  Shape shape = transposed ? Shape{out / groups, in} : Shape{out, in / groups};
  shape.insert(shape.end(), windows.kernel.begin(), windows.kernel.end());
  ASSIGN_OR_RETURN(operands.weight, layer.Weight(params.weights(), shape, "weights"));
  ASSIGN_OR_RETURN(operands.bias, layer.WeightIf(params.adds_bias(), params.bias(), {out}, "bias"));
  const auto dims = SpatialDims(operands.x.shape());
  RETURN_IF_ERROR(PadVolumes(params, windows, dims, !transposed));
  if (!transposed) return layer.FinishAs(Convolution(layer, operands, windows, groups));
  // The output's channels come first, other than those of images.
  ASSIGN_OR_RETURN(operands.weight,
                   layer.Emit(quant::Transpose{{1, 0, 2, 3, 4}}, {operands.weight}, "weight"));
  Extents wanted;
  for (const uint64_t size : params.output_shape()) {
    ASSIGN_OR_RETURN(wanted.emplace_back(), SizeOf(size));
  }
  if (!wanted.empty() && wanted.size() != 3)
    return Malformed(absl::StrCat("outputShape has ", wanted.size(), " numbers; 3 are right"));
  if (wanted.empty() && params.padding_type() == schema::SAME) {
    for (size_t i = 0; i < 3; ++i) wanted.push_back(dims[i] * windows.stride[i]);
  }
  if (!wanted.empty() && params.padding_type() == schema::CUSTOM) {
    CutFrom(windows, wanted, Extents(windows.pad_begin), dims);
  } else if (!wanted.empty()) {
    windows.CutTo(wanted, AutoPad::kSameUpper, dims);
  }
  return layer.FinishAs(TransposedConvolution(layer, operands, windows, groups));
}

absl::Status ImportPooling3d(CoremlLayer& layer) {
  const schema::Pooling3d& params = layer.file().pooling3d();
  ASSIGN_OR_RETURN(const Operand x, VolumeInput(layer));
  LayerWindows windows = NewWindows(3);
  ASSIGN_OR_RETURN(windows.kernel,
                   ThreeSizes(params.kernel_depth(), params.kernel_height(), params.kernel_width()));
  ASSIGN_OR_RETURN(windows.stride,
                   ThreeSizes(params.stride_depth(), params.stride_height(), params.stride_width()));
  RETURN_IF_ERROR(PadVolumes(params, windows, SpatialDims(x.shape()), /*fits_same=*/true));
  switch (params.type()) {
    case schema::Pooling3d::MAX:
      if (windows.has_pads()) layer.Note("what is around x is never the largest, as in pools of images");
      return layer.FinishAs(MaxPool(layer, x, windows));
    case schema::Pooling3d::AVERAGE:
      return layer.FinishAs(AveragePool(layer, x, windows, !params.count_exclude_padding()));
    default: return UnknownValue("type", params.type(), "0 (max) and 1 (average)");
  }
}

absl::Status ImportGlobalPooling3d(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, VolumeInput(layer));
  switch (layer.file().global_pooling3d().type()) {
    case schema::Pooling3d::MAX: return layer.FinishAs(GlobalMaxPool(layer, x));
    case schema::Pooling3d::AVERAGE: return layer.FinishAs(GlobalAveragePool(layer, x));
    default: return UnknownValue("type", layer.file().global_pooling3d().type(), "0 (max) and 1 (average)");
  }
}

}  // namespace tally::coreml
