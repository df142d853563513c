// Convolutions and pools, of one to three spatial axes.
#include "frontends/graph/compositions/windows.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/shape.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

using quant::Shape;

// A list of `size` integers of at least `least`; ones, or zeros, where it is left out.
absl::StatusOr<Extents> ReadExtents(IrNode& node, const char* name, size_t size, int64_t least) {
  ASSIGN_OR_RETURN(Extents list, node.Ints(name));
  if (list.empty()) list.assign(size, least);
  const bool fits = std::ranges::all_of(list, [&](int64_t v) { return v >= least && v <= kMaxDim; });
  if (list.size() == size && fits) return list;
  return Malformed(absl::StrCat("attribute ", name, " is not ", size, " integers of at least ", least));
}

absl::StatusOr<AutoPad> ReadAutoPad(IrNode& node, LayerWindows& windows) {
  ASSIGN_OR_RETURN(const std::string how, node.Word("auto_pad", "explicit"));
  if (how == "explicit" || how.empty()) return AutoPad::kNone;
  std::ranges::fill(windows.pad_begin, 0);
  std::ranges::fill(windows.pad_end, 0);
  if (how == "valid") return AutoPad::kNone;
  if (how == "same_upper") return AutoPad::kSameUpper;
  if (how == "same_lower") return AutoPad::kSameLower;
  return Malformed("attribute auto_pad is " + PrintableStart(how));
}

struct Stated {
  LayerWindows windows;
  AutoPad how = AutoPad::kNone;
};

absl::StatusOr<Stated> ReadWindows(IrNode& node, const Extents& kernel) {
  const size_t axes = kernel.size();
  Stated stated;
  LayerWindows& windows = stated.windows;
  windows.kernel = kernel;
  ASSIGN_OR_RETURN(windows.stride, ReadExtents(node, "strides", axes, 1));
  ASSIGN_OR_RETURN(windows.dilation, ReadExtents(node, "dilations", axes, 1));
  ASSIGN_OR_RETURN(windows.pad_begin, ReadExtents(node, "pads_begin", axes, 0));
  ASSIGN_OR_RETURN(windows.pad_end, ReadExtents(node, "pads_end", axes, 0));
  ASSIGN_OR_RETURN(stated.how, ReadAutoPad(node, windows));
  return stated;
}

absl::StatusOr<ConvOperands> ReadOperands(IrNode& node) {
  ConvOperands read;
  ASSIGN_OR_RETURN(read.x, node.Input(0));
  ASSIGN_OR_RETURN(read.weight, node.Input(1));
  return read;
}

// Weights [G, M, C, ..] as [G M, C, ..]; of a transposed one [G, C, M, ..] as [G C, M, ..].
absl::StatusOr<int64_t> JoinGroups(IrNode& node, Operand& weight) {
  const Shape shape = weight.shape();
  if (shape.size() < 4) return MakeError(label::model_shape, "the weight is " + quant::ToString(shape));
  Shape joined(shape.begin() + 1, shape.end());
  joined[0] *= shape[0];
  ASSIGN_OR_RETURN(weight, node.Emit(quant::Reshape{std::move(joined)}, {weight}, "weight"));
  return shape[0];
}

absl::Status FinishConvolution(IrNode& node, bool has_groups) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(ConvOperands operands, ReadOperands(node));
  ASSIGN_OR_RETURN(const int64_t groups, has_groups ? JoinGroups(node, operands.weight) : 1);
  RETURN_IF_ERROR(CheckConvOperands(operands));
  ASSIGN_OR_RETURN(Stated read, ReadWindows(node, KernelOf(operands.weight.shape())));
  read.windows.PadAutomatically(read.how, SpatialDims(operands.x.shape()));
  return node.FinishAs(Convolution(node, operands, read.windows, groups));
}

// The third input is the shape of the result without batch and channels, which pads then have to reach.
absl::Status FinishTransposed(IrNode& node, bool has_groups) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ASSIGN_OR_RETURN(ConvOperands operands, ReadOperands(node));
  ASSIGN_OR_RETURN(const int64_t groups, has_groups ? JoinGroups(node, operands.weight) : 1);
  RETURN_IF_ERROR(CheckConvOperands(operands));
  const auto dims = SpatialDims(operands.x.shape());
  ASSIGN_OR_RETURN(Stated read, ReadWindows(node, KernelOf(operands.weight.shape())));
  ASSIGN_OR_RETURN(read.windows.output_padding, ReadExtents(node, "output_padding", dims.size(), 0));
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(const Extents wanted, node.List(2));
    if (wanted.size() != dims.size()) return Malformed("the shape of the result has another number of axes");
    if (std::ranges::any_of(wanted, [](int64_t size) { return size < 1 || size > kMaxDim; }))
      return Malformed("the shape of the result is out of range");
    read.windows.CutTo(wanted, read.how, dims);
  } else if (read.how != AutoPad::kNone) {
    Extents wanted;
    for (size_t i = 0; i < dims.size(); ++i) wanted.push_back(dims[i] * read.windows.stride[i]);
    read.windows.CutTo(wanted, read.how, dims);
  }
  return node.FinishAs(TransposedConvolution(node, operands, read.windows, groups));
}

struct Pool {
  Operand x;
  LayerWindows windows;
  bool keeps_all = false;  // rounding_type ceil: also windows of padding alone, which ceil_torch drops
};

absl::StatusOr<Pool> ReadPool(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  Pool pool;
  ASSIGN_OR_RETURN(pool.x, node.Input(0));
  RETURN_IF_ERROR(CheckPoolOperand(pool.x));
  const auto dims = SpatialDims(pool.x.shape());
  if (!node.Has("kernel")) return Malformed("attribute kernel is missing");
  ASSIGN_OR_RETURN(const Extents kernel, ReadExtents(node, "kernel", dims.size(), 1));
  ASSIGN_OR_RETURN(Stated read, ReadWindows(node, kernel));
  ASSIGN_OR_RETURN(const std::string rounding, node.Word("rounding_type", "floor"));
  const bool is_ceil = rounding == "ceil" || rounding == "ceil_torch";
  if (rounding != "floor" && !is_ceil) return Malformed("rounding_type is " + PrintableStart(rounding));
  pool.windows = std::move(read.windows);
  pool.windows.ceil_mode = is_ceil && read.how == AutoPad::kNone;
  pool.keeps_all = rounding == "ceil" && pool.windows.ceil_mode;
  pool.windows.PadAutomatically(read.how, dims);
  return pool;
}

}  // namespace

absl::Status ImportConvolution(IrNode& node) { return FinishConvolution(node, /*has_groups=*/false); }
absl::Status ImportGroupConvolution(IrNode& node) { return FinishConvolution(node, /*has_groups=*/true); }
absl::Status ImportConvolutionBackpropData(IrNode& node) {
  return FinishTransposed(node, /*has_groups=*/false);
}
absl::Status ImportGroupConvolutionBackpropData(IrNode& node) {
  return FinishTransposed(node, /*has_groups=*/true);
}

// Bits of the weight mean -1 and 1, and so do the values 0 and 1 of x; what is around x is -1 or 1 as
// well.
absl::Status ImportBinaryConvolution(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode"));
  ASSIGN_OR_RETURN(const float pad_value, node.Float("pad_value"));
  if (mode != "xnor-popcount") return Unsupported("mode " + PrintableStart(mode));
  if (pad_value != 0 && pad_value != 1) return Malformed("pad_value is neither 0 nor 1");
  ASSIGN_OR_RETURN(const quant::Int64Tensor* bits, node.IntConstant(1));
  ASSIGN_OR_RETURN(Operand x, node.Input(0));
  if (x.is_integer()) {
    ASSIGN_OR_RETURN(x, node.Emit(quant::ToFloat{}, {x}, "floats"));
  }
  quant::FloatTensor signs{bits->shape, {}};
  for (const int64_t bit : bits->data) signs.data.push_back(bit != 0 ? 1.0f : -1.0f);
  ConvOperands operands;
  ASSIGN_OR_RETURN(operands.weight, node.NewConstant(std::move(signs), "weight"));
  ASSIGN_OR_RETURN(const Operand two, node.NewConstant(2.0f, "two"));
  ASSIGN_OR_RETURN(const Operand one, node.NewConstant(1.0f, "one"));
  ASSIGN_OR_RETURN(const Operand doubled, node.Emit(quant::Mul{}, {x, two}, "doubled"));
  ASSIGN_OR_RETURN(operands.x, node.Emit(quant::Sub{}, {doubled, one}, "signs"));
  RETURN_IF_ERROR(CheckConvOperands(operands));
  ASSIGN_OR_RETURN(Stated read, ReadWindows(node, KernelOf(operands.weight.shape())));
  LayerWindows& windows = read.windows;
  windows.PadAutomatically(read.how, SpatialDims(operands.x.shape()));
  if (windows.has_pads()) {
    quant::PadConstant pad = {pad_value == 0 ? -1.0f : 1.0f, Shape(2), Shape(2)};
    pad.before.insert(pad.before.end(), windows.pad_begin.begin(), windows.pad_begin.end());
    pad.after.insert(pad.after.end(), windows.pad_end.begin(), windows.pad_end.end());
    ASSIGN_OR_RETURN(operands.x, node.Emit(std::move(pad), {operands.x}, "padded"));
    std::ranges::fill(windows.pad_begin, 0);
    std::ranges::fill(windows.pad_end, 0);
  }
  return node.FinishAs(Convolution(node, operands, windows, 1));
}

absl::Status ImportDeformableConvolution(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 4));
  ConvOperands operands;
  MovedTaps taps;
  ASSIGN_OR_RETURN(operands.x, node.Input(0));
  ASSIGN_OR_RETURN(taps.offset, node.Input(1));
  ASSIGN_OR_RETURN(operands.weight, node.Input(2));
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(taps.mask, node.Input(3));
  }
  RETURN_IF_ERROR(CheckConvOperands(operands));
  ASSIGN_OR_RETURN(Stated read, ReadWindows(node, KernelOf(operands.weight.shape())));
  ASSIGN_OR_RETURN(const int64_t groups, node.Int("group", 1));
  ASSIGN_OR_RETURN(taps.groups, node.Int("deformable_group", 1));
  ASSIGN_OR_RETURN(const bool pads_with_zeros, node.Flag("bilinear_interpolation_pad", false));
  if (!pads_with_zeros) taps.border = DeformableBorder::kZeroSamples;
  read.windows.PadAutomatically(read.how, SpatialDims(operands.x.shape()));
  return node.FinishAs(DeformableConvolution(node, operands, taps, read.windows, groups));
}

absl::Status ImportMaxPool(IrNode& node) {
  ASSIGN_OR_RETURN(const Pool pool, ReadPool(node));
  if (node.opset() >= 8) {  // its indices, which nobody can read
    RETURN_IF_ERROR(node.Word("index_element_type", "i64").status());
    RETURN_IF_ERROR(node.Int("axis", 0).status());
  }
  return node.FinishAs(MaxPool(node, pool.x, pool.windows));
}

namespace {

absl::Status FinishAdaptivePool(IrNode& node, bool is_max) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, node.List(1));
  if (is_max) RETURN_IF_ERROR(node.Word("index_element_type", "i64").status());
  return node.FinishAs(AdaptivePool(node, x, sizes, is_max));
}

}  // namespace

absl::Status ImportAdaptiveAvgPool(IrNode& node) { return FinishAdaptivePool(node, false); }
absl::Status ImportAdaptiveMaxPool(IrNode& node) { return FinishAdaptivePool(node, true); }

// The older documents spell the attribute in another way.
absl::Status ImportAvgPool(IrNode& node) {
  ASSIGN_OR_RETURN(const Pool pool, ReadPool(node));
  const char* name = node.Has("exclude_pad") ? "exclude_pad" : "exclude-pad";
  ASSIGN_OR_RETURN(const bool excludes, node.Flag(name));
  LayerWindows windows = pool.windows;
  const Shape& shape = pool.x.shape();
  quant::Pad outside = {.before = Shape(shape.size()), .after = Shape(shape.size())};
  for (size_t i = 0; pool.keeps_all && i < windows.kernel.size(); ++i) {
    const int64_t all = windows.AllPadding(i, shape[2 + i]), kept = windows.CeilPadding(i, shape[2 + i]);
    if (excludes) {
      outside.after[2 + i] = all > kept ? 1 : 0;  // a window of padding alone is 0
    } else {
      windows.pad_end[i] += all;  // elements beyond x count as padding does
    }
  }
  if (pool.keeps_all && !excludes) windows.ceil_mode = false;
  ASSIGN_OR_RETURN(const Operand y, AveragePool(node, pool.x, windows, !excludes));
  if (std::ranges::count(outside.after, 1) == 0) return node.FinishAs(y);
  return node.Finish(std::move(outside), {y});
}

}  // namespace tally::openvino
