#include "frontends/graph/compositions/windows.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

namespace {

// The numbers of D, H and W, or of fewer axes; `neutral` for those before.
quant::Extents InImage(const Extents& numbers, int64_t neutral) {
  const size_t count = numbers.size();
  return {count < 2 ? neutral : numbers[count - 2], numbers.back(), count < 3 ? neutral : numbers[0]};
}

quant::Pads PadsInImage(const LayerWindows& windows) {
  const quant::Extents begin = InImage(windows.pad_begin, 0), end = InImage(windows.pad_end, 0);
  return {begin.y, begin.x, end.y, end.x, begin.z, end.z};
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

// x [N, C, ..] in its pads, of which the windows have none any more.
absl::StatusOr<Operand> PaddedByZeros(Emitter& emitter, const Operand& x, LayerWindows& windows) {
  if (!windows.has_pads()) return x;
  const size_t rank = x.shape().size();
  quant::Pad pad = {.before = quant::Shape(rank), .after = quant::Shape(rank)};
  std::ranges::copy(windows.pad_begin, pad.before.begin() + 2);
  std::ranges::copy(windows.pad_end, pad.after.begin() + 2);
  std::ranges::fill(windows.pad_begin, 0);
  std::ranges::fill(windows.pad_end, 0);
  return emitter.Emit(std::move(pad), {x}, "padded");
}

// Whether a window may have nothing but pads, which pools of the graph do not.
bool HasWidePads(const LayerWindows& windows) {
  for (size_t i = 0; i < windows.kernel.size(); ++i) {
    if (std::max(windows.pad_begin[i], windows.pad_end[i]) >= windows.kernel[i]) return true;
  }
  return false;
}

// x [N, C, ..] in its pads, as columns: [N, groups, C / groups times the taps, windows]. `out` is the spatial
// size of the result.
absl::StatusOr<Operand> ColumnsOf(Emitter& emitter, Operand x, const LayerWindows& windows, int64_t groups,
                                  const quant::Shape& out) {
  const size_t axes = windows.kernel.size();
  LayerWindows inside = windows;
  ASSIGN_OR_RETURN(x, PaddedByZeros(emitter, x, inside));
  std::vector<int64_t> order = {0, 1}, places;
  int64_t depth = x.shape()[1] / groups, count = 1;
  for (size_t i = 0; i < axes; ++i) {  // an axis becomes two: the window, and the tap
    RETURN_IF_ERROR(emitter.Charge(out[i] * windows.kernel[i]));
    quant::Int64Tensor indices{{out[i], windows.kernel[i]}, {}};
    for (int64_t o = 0; o < out[i]; ++o) {
      for (int64_t k = 0; k < windows.kernel[i]; ++k) {
        indices.data.push_back(o * windows.stride[i] + k * windows.dilation[i]);
      }
    }
    ASSIGN_OR_RETURN(const Operand taps, emitter.NewConstant(std::move(indices), "taps"));
    const auto axis = static_cast<int64_t>(2 + 2 * i);
    ASSIGN_OR_RETURN(x, emitter.Emit(quant::Gather{axis}, {x, taps}, "windows"));
    places.push_back(axis);
    order.push_back(axis + 1);
    depth *= windows.kernel[i];
    count *= out[i];
  }
  order.insert(order.end(), places.begin(), places.end());
  ASSIGN_OR_RETURN(const Operand moved, emitter.Emit(quant::Transpose{order}, {x}, "moved"));
  return emitter.Emit(quant::Reshape{{x.shape()[0], groups, depth, count}}, {moved}, "columns");
}

// y with a bias [C] added.
absl::StatusOr<Operand> Biased(Emitter& emitter, const Operand& y, const Operand& bias) {
  quant::Shape of_channels(y.shape().size() - 1, 1);
  of_channels[0] = y.shape()[1];
  ASSIGN_OR_RETURN(const Operand column, emitter.Emit(quant::Reshape{of_channels}, {bias}, "bias"));
  return emitter.Emit(quant::Add{}, {y, column}, "biased");
}

// The spatial size of what windows of x give.
absl::StatusOr<quant::Shape> WindowsOf(const quant::Shape& x, const LayerWindows& windows) {
  quant::Shape out;
  for (size_t i = 0; i < windows.kernel.size(); ++i) {
    const int64_t reach = (windows.kernel[i] - 1) * windows.dilation[i] + 1;
    const int64_t room = x[i + 2] + windows.pad_begin[i] + windows.pad_end[i] - reach;
    if (room < 0) return MakeError(label::model_shape, "the window is larger than padded x");
    out.push_back(room / windows.stride[i] + 1);
  }
  return out;
}

absl::StatusOr<Operand> ByComputedWeight(Emitter& emitter, const ConvOperands& operands,
                                         const LayerWindows& windows, int64_t groups) {
  const quant::Shape &x = operands.x.shape(), &weight = operands.weight.shape();
  if (groups < 1 || x[1] % groups != 0 || weight[0] % groups != 0 || weight[1] != x[1] / groups) {
    return MakeError(label::model_shape, "groups, x and the weight do not fit each other");
  }
  ASSIGN_OR_RETURN(const quant::Shape out, WindowsOf(x, windows));
  ASSIGN_OR_RETURN(const Operand columns, ColumnsOf(emitter, operands.x, windows, groups, out));
  const quant::Shape rows = {groups, weight[0] / groups, columns.shape()[2]};
  ASSIGN_OR_RETURN(const Operand weights, emitter.Emit(quant::Reshape{rows}, {operands.weight}, "rows"));
  ASSIGN_OR_RETURN(const Operand product, emitter.Emit(quant::MatMul{}, {weights, columns}, "product"));
  quant::Shape shape = {x[0], weight[0]};
  shape.insert(shape.end(), out.begin(), out.end());
  ASSIGN_OR_RETURN(const Operand y, emitter.Emit(quant::Reshape{shape}, {product}, "image"));
  return operands.bias.has_value() ? Biased(emitter, y, *operands.bias) : y;
}

// The elements that ceil_mode adds at the end become pads. Returns whether that is anything.
bool AddCeilPads(LayerWindows& windows, const quant::Shape& x) {
  bool adds = false;
  for (size_t axis = 0; axis + 2 < x.size() && windows.ceil_mode; ++axis) {
    const int64_t extra = windows.CeilPadding(axis, x[axis + 2]);
    adds |= extra > 0;
    windows.pad_end[axis] += extra;
  }
  return adds;
}

// The pool that `pool_of` makes for all pixels of a channel.
template <typename PoolOf>
absl::StatusOr<Operand> GlobalPool(Emitter& emitter, const Operand& x, PoolOf pool_of) {
  quant::Shape shape = x.shape();
  if (shape.size() < 3) {
    return MakeError(label::model_shape, "x is " + quant::ToString(shape) + " and has no spatial axes");
  }
  if (shape.size() == 4) return emitter.Emit(pool_of(quant::SpatialSize(shape)), {x}, "pooled");
  const quant::Extents row = {1, quant::NumElements(shape) / (shape[0] * shape[1])};
  ASSIGN_OR_RETURN(const Operand image,
                   emitter.Emit(quant::Reshape{{shape[0], shape[1], row.y, row.x}}, {x}, "image"));
  ASSIGN_OR_RETURN(const Operand pooled, emitter.Emit(pool_of(row), {image}, "pooled"));
  std::fill(shape.begin() + 2, shape.end(), 1);
  return emitter.Emit(quant::Reshape{std::move(shape)}, {pooled}, "pixel");
}

}  // namespace

absl::Status CheckConvOperands(const ConvOperands& operands) {
  const quant::Shape &x = operands.x.shape(), &weight = operands.weight.shape();
  if (weight.size() >= 3 && weight.size() <= 5 && x.size() == weight.size()) return absl::OkStatus();
  return MakeError(label::model_shape,
                   "x is " + quant::ToString(x) + " and the weight is " + quant::ToString(weight) +
                       "; the weight of a convolution has the rank of x, 3 (1-D) to 5 (3-D)");
}

absl::StatusOr<Operand> Convolution(Emitter& emitter, const ConvOperands& operands,
                                    const LayerWindows& windows, int64_t groups) {
  if (!operands.weight.is_constant()) return ByComputedWeight(emitter, operands, windows, groups);
  ASSIGN_OR_RETURN(const std::vector<Operand> images, ImagesOf(emitter, operands));
  const quant::Conv conv = {InImage(windows.stride, 1), InImage(windows.dilation, 1), PadsInImage(windows),
                            groups};
  return OnImages(emitter, conv, images, operands.x.shape().size());
}

absl::StatusOr<Operand> TransposedConvolution(Emitter& emitter, const ConvOperands& operands,
                                              const LayerWindows& windows, int64_t groups) {
  ASSIGN_OR_RETURN(const std::vector<Operand> images, ImagesOf(emitter, operands));
  const quant::ConvTranspose conv = {InImage(windows.stride, 1), InImage(windows.dilation, 1),
                                     PadsInImage(windows), InImage(windows.output_padding, 0), groups};
  return OnImages(emitter, conv, images, operands.x.shape().size());
}

absl::StatusOr<Operand> DeformableConvolution(Emitter& emitter, const ConvOperands& operands,
                                              const MovedTaps& taps, const LayerWindows& windows,
                                              int64_t groups) {
  const quant::DeformableConv op = {.stride = InImage(windows.stride, 1),
                                    .dilation = InImage(windows.dilation, 1),
                                    .pad = PadsInImage(windows),
                                    .groups = groups,
                                    .offset_groups = taps.groups,
                                    .border = taps.border};
  std::vector<Operand> of_taps = {operands.x, operands.weight, taps.offset};
  if (taps.mask.has_value()) of_taps.push_back(*taps.mask);
  ASSIGN_OR_RETURN(const Operand y, emitter.Emit(op, of_taps, "moved"));
  return operands.bias.has_value() ? Biased(emitter, y, *operands.bias) : y;
}

absl::Status CheckPoolOperand(const Operand& x) {
  if (x.shape().size() >= 3 && x.shape().size() <= 5) return absl::OkStatus();
  return MakeError(label::model_shape, "x is " + quant::ToString(x.shape()) +
                                           "; windows over one to three axes after N and C are imported");
}

absl::StatusOr<Operand> MaxPool(Emitter& emitter, const Operand& x, const LayerWindows& windows) {
  LayerWindows padded = windows;
  AddCeilPads(padded, x.shape());
  ASSIGN_OR_RETURN(const Operand image, AsImage(emitter, x, "image"));
  const quant::MaxPool pool = {InImage(windows.kernel, 1), InImage(windows.stride, 1), PadsInImage(padded),
                               InImage(windows.dilation, 1)};
  return OnImages(emitter, pool, {image}, x.shape().size());
}

absl::StatusOr<Operand> Columns(Emitter& emitter, const Operand& x, const LayerWindows& windows) {
  ASSIGN_OR_RETURN(const quant::Shape out, WindowsOf(x.shape(), windows));
  return ColumnsOf(emitter, x, windows, 1, out);
}

absl::StatusOr<Operand> AveragePool(Emitter& emitter, const Operand& x, const LayerWindows& windows,
                                    bool count_include_pad) {
  if (count_include_pad && !windows.ceil_mode && HasWidePads(windows)) {
    LayerWindows inside = windows;
    ASSIGN_OR_RETURN(const Operand padded, PaddedByZeros(emitter, x, inside));
    return AveragePool(emitter, padded, inside, count_include_pad);
  }
  LayerWindows padded = windows;
  const bool ceil_adds_pads = AddCeilPads(padded, x.shape());
  // Without pads, count_include_pad says nothing. What ceil_mode adds never counts.
  const bool counts_pads = count_include_pad && windows.has_pads();
  const bool keeps_apart = counts_pads && ceil_adds_pads;
  ASSIGN_OR_RETURN(const Operand image, AsImage(emitter, x, "image"));
  const quant::AveragePool pool = {InImage(windows.kernel, 1),
                                   InImage(windows.stride, 1),
                                   PadsInImage(keeps_apart ? windows : padded),
                                   counts_pads,
                                   InImage(windows.dilation, 1),
                                   /*ceil_mode=*/keeps_apart};
  return OnImages(emitter, pool, {image}, x.shape().size());
}

absl::StatusOr<Operand> GlobalAveragePool(Emitter& emitter, const Operand& x) {
  return GlobalPool(emitter, x, [](const quant::Extents&) { return quant::GlobalAveragePool{}; });
}

absl::StatusOr<Operand> GlobalMaxPool(Emitter& emitter, const Operand& x) {
  return GlobalPool(emitter, x,
                    [](const quant::Extents& kernel) { return quant::MaxPool{.kernel = kernel}; });
}

// One axis after the other: the elements of each window along an axis of its own, short windows with their
// first element again, which no maximum sees and of which the mean takes none.
absl::StatusOr<Operand> AdaptivePool(Emitter& emitter, Operand x, const std::vector<int64_t>& sizes,
                                     bool is_max) {
  const size_t rank = x.shape().size();
  if (rank != sizes.size() + 2) return MakeError(label::model_shape, "a pool has another number of axes");
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t in = x.shape()[i + 2], size = sizes[i];
    if (size < 1 || size > quant::kMaxElements) return MakeError(label::model_shape, "a pool has no size");
    const auto begin = [&](int64_t place) { return place * in / size; };
    const auto end = [&](int64_t place) { return ((place + 1) * in + size - 1) / size; };
    int64_t longest = 0;
    for (int64_t place = 0; place < size; ++place) longest = std::max(longest, end(place) - begin(place));
    quant::Int64Tensor indices{{size, longest}, {}};
    quant::FloatTensor shares{{size, longest}, {}};
    for (int64_t place = 0; place < size; ++place) {
      const int64_t length = end(place) - begin(place);
      for (int64_t k = 0; k < longest; ++k) {
        indices.data.push_back(begin(place) + (k < length ? k : 0));
        shares.data.push_back(k < length ? 1.0f / static_cast<float>(length) : 0.0f);
      }
    }
    const auto axis = static_cast<int64_t>(i + 2);
    ASSIGN_OR_RETURN(const Operand places, emitter.NewConstant(std::move(indices), "places"));
    ASSIGN_OR_RETURN(x, emitter.Emit(quant::Gather{axis}, {x, places}, "windows"));
    if (is_max) {
      ASSIGN_OR_RETURN(
          x, emitter.Emit(quant::ReduceExtreme{{axis + 1}, /*keep_dimensions=*/false}, {x}, "pooled"));
      continue;
    }
    quant::Shape along(x.shape().size(), 1);
    along[i + 2] = size;
    along[i + 3] = longest;
    shares.shape = along;
    ASSIGN_OR_RETURN(const Operand weights, emitter.NewConstant(std::move(shares), "shares"));
    ASSIGN_OR_RETURN(const Operand parts, emitter.Emit(quant::Mul{}, {x, weights}, "parts"));
    ASSIGN_OR_RETURN(
        x, emitter.Emit(quant::ReduceSum{{axis + 1}, /*keep_dimensions=*/false}, {parts}, "pooled"));
  }
  return x;
}

}  // namespace tally::frontend
