// Convolutions and pools of one to three spatial axes.
#include "frontends/graph/compositions/windows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/codes.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {
namespace {

constexpr int64_t kSameUpper = -233, kSameLower = -234;  // instead of pads

// The ids of what each spatial axis has, in the order of blobs: D, H, W. One that is left out has what its
// fallback has: H what W has, D what W has, an end what its beginning has.
struct AxisIds {
  int kernel, dilation, stride, begin, end;
};
constexpr std::array<AxisIds, 3> kConvIds = {{{21, 22, 23, 24, 17}, {11, 12, 13, 14, 16}, {1, 2, 3, 4, 15}}};
constexpr std::array<AxisIds, 3> kPoolIds = {{{21, -1, 22, 23, 16}, {11, -1, 12, 13, 15}, {1, -1, 2, 3, 14}}};

absl::StatusOr<LayerWindows> ReadWindows(NcnnLayer& layer, const std::array<AxisIds, 3>& ids, size_t axes) {
  LayerWindows windows;
  const AxisIds& w = ids[2];
  for (size_t i = 3 - axes; i < 3; ++i) {
    const auto read = [&](int id, int of_w, int64_t fallback) -> absl::StatusOr<int64_t> {
      if (id < 0) return fallback;
      ASSIGN_OR_RETURN(const int64_t across, layer.Int(of_w, fallback));
      return layer.Int(id, across);
    };
    ASSIGN_OR_RETURN(windows.kernel.emplace_back(), read(ids[i].kernel, w.kernel, 0));
    ASSIGN_OR_RETURN(windows.dilation.emplace_back(), read(ids[i].dilation, w.dilation, 1));
    ASSIGN_OR_RETURN(windows.stride.emplace_back(), read(ids[i].stride, w.stride, 1));
    ASSIGN_OR_RETURN(windows.pad_begin.emplace_back(), read(ids[i].begin, w.begin, 0));
    ASSIGN_OR_RETURN(windows.pad_end.emplace_back(), layer.Int(ids[i].end, windows.pad_begin.back()));
  }
  for (const Extents* list : {&windows.kernel, &windows.dilation, &windows.stride}) {
    for (const int64_t number : *list) {
      if (number < 1 || number > quant::kMaxAttribute) {
        return MakeError(label::model_malformed, absl::StrCat("a kernel, dilation or stride is ", number));
      }
    }
  }
  return windows;
}

// Automatic pads in the place of their sentinels. Errors: model_malformed for other negative ones.
absl::Status ResolvePads(LayerWindows& windows, std::span<const int64_t> dims) {
  const auto all_are = [&](int64_t value) {
    const auto is = [&](int64_t pad) { return pad == value; };
    return std::ranges::all_of(windows.pad_begin, is) && std::ranges::all_of(windows.pad_end, is);
  };
  if (all_are(kSameUpper) || all_are(kSameLower)) {
    windows.PadAutomatically(all_are(kSameUpper) ? AutoPad::kSameUpper : AutoPad::kSameLower, dims);
    return absl::OkStatus();
  }
  for (const Extents* list : {&windows.pad_begin, &windows.pad_end}) {
    for (const int64_t pad : *list) {
      if (pad < 0 || pad > quant::kMaxAttribute)
        return MakeError(label::model_malformed, absl::StrCat("a pad is ", pad));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Operand> ImageInput(NcnnLayer& layer, size_t axes) {
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  if (BlobRank(x) == axes + 1) return x;
  return MakeError(label::model_shape, absl::StrCat("its input has ", BlobRank(x), " axes, not ", axes + 1));
}

// x in its pads, of which the windows have none any more.
absl::StatusOr<Operand> PaddedWith(NcnnLayer& layer, const Operand& x, LayerWindows& windows, float value) {
  if (!windows.has_pads()) return x;
  quant::PadConstant pad = {value, {0, 0}, {0, 0}};
  pad.before.insert(pad.before.end(), windows.pad_begin.begin(), windows.pad_begin.end());
  pad.after.insert(pad.after.end(), windows.pad_end.begin(), windows.pad_end.end());
  std::ranges::fill(windows.pad_begin, 0);
  std::ranges::fill(windows.pad_end, 0);
  return layer.Emit(pad, {x}, "padded");
}

struct ConvForm {
  int64_t outputs = 0, groups = 1, weights = 0, taps = 1;
  bool has_bias = false;
};

absl::StatusOr<ConvForm> ReadForm(NcnnLayer& layer, const LayerWindows& windows, bool has_groups) {
  ConvForm form;
  ASSIGN_OR_RETURN(form.outputs, layer.Int(0, 0));
  ASSIGN_OR_RETURN(form.has_bias, layer.Flag(5, false));
  ASSIGN_OR_RETURN(form.weights, layer.Int(6, 0));
  if (has_groups) {
    ASSIGN_OR_RETURN(form.groups, layer.Int(7, 1));
  }
  for (const int64_t kernel : windows.kernel)
    form.taps *= std::min<int64_t>(kernel, quant::kMaxElements / form.taps + 1);
  const bool fits = form.outputs > 0 && form.groups > 0 && form.weights > 0 &&
                    form.outputs % form.groups == 0 && form.taps <= form.weights &&
                    form.weights % form.outputs == 0 && form.weights / form.outputs % form.taps == 0;
  if (fits) return form;
  return MakeError(label::model_malformed,
                   absl::StrCat(form.weights, " weights are not those of ", form.outputs, " channels in ",
                                form.groups, " groups with windows of ", form.taps));
}

// Whether the weights are for the channels of x. Sizes of an Input in another order are the usual reason that
// they are not: ncnn itself does not look at them.
absl::Status CheckChannels(NcnnLayer& layer, const Operand& x, int64_t wanted) {
  quant::Shape blob = BlobOf(x.shape());
  if (blob[0] == wanted) return absl::OkStatus();
  std::string hint;
  const auto same = std::ranges::find(blob, wanted);
  if (same != blob.end() && layer.IsGraphInput(x)) {
    std::rotate(blob.begin(), same, same + 1);
    std::string sizes = "1";
    for (const int64_t size : blob) absl::StrAppend(&sizes, ",", size);
    hint = absl::StrCat("; where the file has the sizes of its Input in another order, say --shape ",
                        PrintableStart(x.name), "=", sizes);
  }
  return MakeError(label::model_shape,
                   absl::StrCat("its weights are for ", wanted, " channels, and its input '",
                                PrintableStart(x.name), "' has ", x.shape()[1], hint));
}

// A list is all channels of one pixel, as a convolution of 1 x 1 reads it.
absl::StatusOr<Operand> ConvInput(NcnnLayer& layer, const LayerWindows& windows, size_t axes,
                                  bool has_groups) {
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  const auto is_one = [](int64_t size) { return size == 1; };
  if (BlobRank(x) == 1 && axes == 2 && !has_groups && std::ranges::all_of(windows.kernel, is_one))
    return AsBlob(layer, x, {x.shape()[1], 1, 1}, "pixel");
  return ImageInput(layer, axes);
}

absl::Status FinishConvolution(NcnnLayer& layer, size_t axes, bool has_groups) {
  ASSIGN_OR_RETURN(LayerWindows windows, ReadWindows(layer, kConvIds, axes));
  ASSIGN_OR_RETURN(Operand x, ConvInput(layer, windows, axes, has_groups));
  ASSIGN_OR_RETURN(const Operand given, layer.Input(0));
  const bool is_list = BlobRank(given) == 1;
  RETURN_IF_ERROR(ResolvePads(windows, SpatialDims(x.shape())));
  ASSIGN_OR_RETURN(const float pad_value, layer.Float(18, 0));
  ASSIGN_OR_RETURN(const bool dynamic, layer.Flag(19, false));
  ConvOperands operands;
  std::optional<CodeScales> scales;
  int64_t groups = 1;
  if (dynamic) {
    for (const int id : {0, 6}) layer.params().Ints(id).IgnoreError();  // which the weight, an input, says
    ASSIGN_OR_RETURN(const bool has_bias, layer.Flag(5, false));
    if (has_groups) {
      ASSIGN_OR_RETURN(groups, layer.Int(7, 1));
    }
    ASSIGN_OR_RETURN(const Operand weight, layer.Input(1));
    ASSIGN_OR_RETURN(operands.weight, layer.Emit(quant::Reshape{BlobOf(weight.shape())}, {weight}, "weight"));
    windows.kernel = KernelOf(operands.weight.shape());
    if (has_bias) {
      ASSIGN_OR_RETURN(const Operand bias, layer.Input(2));
      ASSIGN_OR_RETURN(operands.bias, layer.Emit(quant::Reshape{BlobOf(bias.shape())}, {bias}, "bias"));
    }
  } else {
    ASSIGN_OR_RETURN(const ConvForm form, ReadForm(layer, windows, has_groups));
    ASSIGN_OR_RETURN(const int64_t term, layer.Int(8, 0));
    groups = form.groups;
    quant::Shape shape = {form.outputs, form.weights / form.outputs / form.taps};
    RETURN_IF_ERROR(CheckChannels(layer, x, shape[1] * form.groups));
    shape.insert(shape.end(), windows.kernel.begin(), windows.kernel.end());
    ASSIGN_OR_RETURN(Weights weights, layer.weights().Tagged(form.weights));
    if (form.has_bias) {
      ASSIGN_OR_RETURN(operands.bias, layer.RawWeights({form.outputs}, "bias"));
    }
    if (term != 0) {
      const int64_t count = !has_groups ? form.outputs : term % 100 == 1 ? form.groups : 1;
      ASSIGN_OR_RETURN(scales, ReadScales(layer, term, count));
      ASSIGN_OR_RETURN(operands.weight, CodedWeight(layer, weights, shape, scales->weights));
    } else if (!weights.codes.empty()) {
      return MakeError(label::model_malformed, "its weights are codes without scales");
    } else {
      ASSIGN_OR_RETURN(operands.weight,
                       layer.NewConstant(quant::FloatTensor{shape, std::move(weights.floats)}, "weight"));
    }
  }
  if (scales.has_value()) {
    ASSIGN_OR_RETURN(x, OnCodes(layer, x, *scales->input, "codes"));
  }
  if (pad_value != 0) {
    ASSIGN_OR_RETURN(x, PaddedWith(layer, x, windows, pad_value));
  }
  operands.x = x;
  RETURN_IF_ERROR(CheckConvOperands(operands));
  ASSIGN_OR_RETURN(Operand y, Convolution(layer, operands, windows, groups));
  ASSIGN_OR_RETURN(y, Activated(layer, y, 9));
  if (scales.has_value() && scales->output.has_value()) {
    ASSIGN_OR_RETURN(y, OnCodes(layer, y, *scales->output, "requantized"));
  }
  if (is_list) return layer.FinishAs(AsBlob(layer, y, {y.shape()[1]}, "list"));
  return layer.FinishAs(y);
}

// Weights [groups, out, in, taps] as [groups * in, out, taps].
quant::FloatTensor ByInput(const std::vector<float>& weights, int64_t groups, int64_t out, int64_t in,
                           const quant::Shape& kernel, int64_t taps) {
  quant::FloatTensor swapped{{groups * in, out}, {}};
  swapped.shape.insert(swapped.shape.end(), kernel.begin(), kernel.end());
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t i = 0; i < in; ++i) {
      for (int64_t o = 0; o < out; ++o) {
        const auto first = weights.begin() + ((g * out + o) * in + i) * taps;
        swapped.data.insert(swapped.data.end(), first, first + taps);
      }
    }
  }
  return swapped;
}

absl::Status FinishDeconvolution(NcnnLayer& layer, size_t axes, bool has_groups) {
  ASSIGN_OR_RETURN(const Operand x, ImageInput(layer, axes));
  ASSIGN_OR_RETURN(LayerWindows windows, ReadWindows(layer, kConvIds, axes));
  ASSIGN_OR_RETURN(const ConvForm form, ReadForm(layer, windows, has_groups));
  ASSIGN_OR_RETURN(const int64_t more, layer.Int(18, 0));
  ASSIGN_OR_RETURN(const int64_t more_down, layer.Int(19, more));
  ASSIGN_OR_RETURN(const int64_t more_deep, layer.Int(20, axes == 3 ? more : 0));
  windows.output_padding = axes == 3   ? Extents{more_deep, more_down, more}
                           : axes == 2 ? Extents{more_down, more}
                                       : Extents{more};
  if (windows.pad_begin[0] == kSameUpper || windows.pad_begin[0] == kSameLower) {
    if (axes == 3)
      return MakeError(label::model_unsupported_attribute, "pads by the size of a volume's result");
    ASSIGN_OR_RETURN(const int64_t width, layer.Int(20, 0));
    ASSIGN_OR_RETURN(const int64_t height, layer.Int(21, width));
    const Extents results = axes == 2 ? Extents{height, width} : Extents{width};
    if (width < 1 || height < 1)
      return MakeError(label::model_malformed, "pads by the size of a result of none");
    windows.CutTo(results, windows.pad_begin[0] == kSameUpper ? AutoPad::kSameUpper : AutoPad::kSameLower,
                  SpatialDims(x.shape()));
  } else {
    RETURN_IF_ERROR(ResolvePads(windows, SpatialDims(x.shape())));
  }
  ASSIGN_OR_RETURN(Weights weights, layer.weights().Tagged(form.weights));
  if (!weights.codes.empty())
    return MakeError(label::model_malformed, "its weights are codes without scales");
  ConvOperands operands = {.x = x};
  const int64_t out = form.outputs / form.groups, in = form.weights / form.outputs / form.taps;
  ASSIGN_OR_RETURN(
      operands.weight,
      layer.NewConstant(ByInput(weights.floats, form.groups, out, in, windows.kernel, form.taps), "weight"));
  if (form.has_bias) {
    ASSIGN_OR_RETURN(operands.bias, layer.RawWeights({form.outputs}, "bias"));
  }
  RETURN_IF_ERROR(CheckConvOperands(operands));
  ASSIGN_OR_RETURN(const Operand y, TransposedConvolution(layer, operands, windows, form.groups));
  return layer.FinishAs(Activated(layer, y, 9));
}

// One value for each channel, without spatial axes.
absl::StatusOr<Operand> Global(NcnnLayer& layer, const Operand& x, bool is_max) {
  ASSIGN_OR_RETURN(const Operand y, is_max ? GlobalMaxPool(layer, x) : GlobalAveragePool(layer, x));
  return AsBlob(layer, y, {x.shape()[1]}, "channels");
}

// Windows that begin at every stride up to the end: what the last one lacks is padded, and counts for a mean
// where pads do.
absl::Status AddTail(LayerWindows& windows, std::span<const int64_t> dims, bool counts_pads) {
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t tail = windows.AllPadding(i, dims[i]);
    if (counts_pads) windows.pad_end[i] += tail;
    if (!counts_pads && tail > 0 && windows.CeilPadding(i, dims[i]) != tail) {
      return MakeError(label::model_unsupported_attribute, "a window of the pool has nothing of its input");
    }
  }
  windows.ceil_mode = !counts_pads;
  return absl::OkStatus();
}

absl::Status FinishPooling(NcnnLayer& layer, size_t axes) {
  constexpr int kOutIds[] = {28, 18, 8};
  ASSIGN_OR_RETURN(const Operand x, ImageInput(layer, axes));
  const auto dims = SpatialDims(x.shape());
  ASSIGN_OR_RETURN(const int64_t type, layer.Int(0, 0));
  if (type != 0 && type != 1) return UnknownValue("pooling_type", type, "0 (max) and 1 (average)");
  const bool is_max = type == 0;
  ASSIGN_OR_RETURN(const bool is_global, layer.Flag(4, false));
  ASSIGN_OR_RETURN(const bool is_adaptive, layer.Flag(7, false));
  if (is_global || is_adaptive) {  // whatever the window is
    for (int id = 1; id < 24; ++id) layer.params().Ints(id).IgnoreError();
  }
  if (is_global) return layer.FinishAs(Global(layer, x, is_max));
  if (is_adaptive) {
    ASSIGN_OR_RETURN(const int64_t across, layer.Int(8, 0));
    Extents sizes;
    for (size_t i = 3 - axes; i < 3; ++i) {
      ASSIGN_OR_RETURN(const int64_t size, layer.Int(kOutIds[i], across));
      sizes.push_back(size == kNone ? dims[sizes.size()] : size);
    }
    return layer.FinishAs(AdaptivePool(layer, x, sizes, is_max));
  }
  ASSIGN_OR_RETURN(LayerWindows windows, ReadWindows(layer, kPoolIds, axes));
  ASSIGN_OR_RETURN(const int64_t mode, layer.Int(5, 0));
  ASSIGN_OR_RETURN(bool counts_pads, layer.Flag(6, false));
  if (mode == 2 || mode == 3) {  // whose zeros count
    windows.PadAutomatically(mode == 2 ? AutoPad::kSameUpper : AutoPad::kSameLower, dims);
    counts_pads = true;
  } else {
    RETURN_IF_ERROR(ResolvePads(windows, dims));
    if (mode == 0) RETURN_IF_ERROR(AddTail(windows, dims, counts_pads && !is_max));
  }
  return layer.FinishAs(is_max ? MaxPool(layer, x, windows) : AveragePool(layer, x, windows, counts_pads));
}

}  // namespace

// Each window of an image as a column.
absl::Status ImportUnfold(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(Operand x, ImageInput(layer, 2));
  ASSIGN_OR_RETURN(LayerWindows windows, ReadWindows(layer, kConvIds, 2));
  RETURN_IF_ERROR(ResolvePads(windows, SpatialDims(x.shape())));
  layer.params().Ints(0).IgnoreError();  // num_output, which the window says
  ASSIGN_OR_RETURN(const float pad_value, layer.Float(18, 0));
  if (pad_value != 0) {
    ASSIGN_OR_RETURN(x, PaddedWith(layer, x, windows, pad_value));
  }
  ASSIGN_OR_RETURN(const Operand columns, Columns(layer, x, windows));
  return layer.FinishAs(AsBlob(layer, columns, {columns.shape()[2], columns.shape()[3]}, "columns"));
}

absl::Status ImportConvolution(NcnnLayer& layer) { return FinishConvolution(layer, 2, false); }
absl::Status ImportConvolution1D(NcnnLayer& layer) { return FinishConvolution(layer, 1, false); }
absl::Status ImportConvolution3D(NcnnLayer& layer) { return FinishConvolution(layer, 3, false); }
absl::Status ImportConvolutionDepthWise(NcnnLayer& layer) { return FinishConvolution(layer, 2, true); }
absl::Status ImportConvolutionDepthWise1D(NcnnLayer& layer) { return FinishConvolution(layer, 1, true); }
absl::Status ImportConvolutionDepthWise3D(NcnnLayer& layer) { return FinishConvolution(layer, 3, true); }
absl::Status ImportDeconvolution(NcnnLayer& layer) { return FinishDeconvolution(layer, 2, false); }
absl::Status ImportDeconvolution1D(NcnnLayer& layer) { return FinishDeconvolution(layer, 1, false); }
absl::Status ImportDeconvolution3D(NcnnLayer& layer) { return FinishDeconvolution(layer, 3, false); }
absl::Status ImportDeconvolutionDepthWise(NcnnLayer& layer) { return FinishDeconvolution(layer, 2, true); }
absl::Status ImportDeconvolutionDepthWise1D(NcnnLayer& layer) { return FinishDeconvolution(layer, 1, true); }
absl::Status ImportDeconvolutionDepthWise3D(NcnnLayer& layer) { return FinishDeconvolution(layer, 3, true); }
absl::Status ImportPooling(NcnnLayer& layer) { return FinishPooling(layer, 2); }
absl::Status ImportPooling1D(NcnnLayer& layer) { return FinishPooling(layer, 1); }
absl::Status ImportPooling3D(NcnnLayer& layer) { return FinishPooling(layer, 3); }

}  // namespace tally::ncnn
