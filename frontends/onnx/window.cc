#include "frontends/onnx/window.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/labels.h"
#include "ops/window.h"

namespace tally::onnx {
namespace {

using quant::Extent2d;
using quant::Padding2d;

// An attribute of `size` integers, each at least `least`, or nothing.
absl::StatusOr<std::optional<std::vector<int64_t>>> ReadInts(Attributes& attributes, std::string_view name,
                                                             size_t size, int64_t least) {
  ASSIGN_OR_RETURN(const auto values, attributes.Ints(name));
  if (!values.has_value()) return values;
  const bool in_range = std::all_of(values->begin(), values->end(), [&](int64_t value) {
    return value >= least && value <= quant::kMaxAttribute;
  });
  if (values->size() != size || !in_range) {
    return MakeError(label::onnx_malformed, "attribute " + std::string(name) + " is not " +
                                                std::to_string(size) + " integers of at least " +
                                                std::to_string(least));
  }
  return values;
}

// The same of one number for each of `axes` spatial axes, or two of pads: those of H, which are `neutral` where W is the only
// axis, and of W.
absl::StatusOr<std::optional<std::vector<int64_t>>> ReadSpatial(Attributes& attributes, std::string_view name,
                                                                size_t axes, int64_t least, int64_t neutral,
                                                                size_t per_axis = 1) {
  ASSIGN_OR_RETURN(auto values, ReadInts(attributes, name, axes * per_axis, least));
  if (values.has_value() && axes == 1) {
    for (size_t i = 0; i < per_axis; ++i)
      values->insert(values->begin() + 2 * static_cast<int64_t>(i), neutral);
  }
  return values;
}

absl::StatusOr<Extent2d> ReadExtent(Attributes& attributes, std::string_view name, size_t axes) {
  ASSIGN_OR_RETURN(const auto values, ReadSpatial(attributes, name, axes, 1, 1));
  return values.has_value() ? Extent2d{(*values)[0], (*values)[1]} : Extent2d{};
}

absl::StatusOr<Extent2d> ReadKernel(Attributes& attributes, const std::optional<Extent2d>& weight_kernel,
                                    size_t axes) {
  ASSIGN_OR_RETURN(const auto values, ReadSpatial(attributes, "kernel_shape", axes, 1, 1));
  if (!values.has_value()) {
    if (!weight_kernel.has_value())
      return MakeError(label::onnx_malformed, "attribute kernel_shape is missing");
    return *weight_kernel;
  }
  const Extent2d kernel = {(*values)[0], (*values)[1]};
  if (weight_kernel.has_value() && kernel != *weight_kernel) {
    return MakeError(label::onnx_shape, "attribute kernel_shape is not the shape of the weight");
  }
  return kernel;
}

tally::Window AxisWindow(int64_t size, int64_t stride, int64_t dilation, int64_t begin, int64_t end) {
  return {.size = size, .stride = stride, .dilation = dilation, .pad_begin = begin, .pad_end = end};
}

// What ceil_mode adds behind the pads: room for the partial window that it has more.
int64_t CeilPadding(const tally::Window& window, int64_t length) {
  const int64_t padded = window.pad_begin + length + window.pad_end;
  if (padded < window.extent()) return 0;  // the graph's own rule refuses this window
  const int64_t last = CountWindows(window, length, true) - 1;
  return std::max<int64_t>(last * window.stride + window.extent() - padded, 0);
}

absl::StatusOr<Padding2d> AutoPad(std::string_view mode, const Window& window, const quant::Shape& x) {
  if (mode == "VALID") return Padding2d{};
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    return MakeError(label::onnx_malformed, "attribute auto_pad is " + PrintableStart(mode));
  }
  const bool upper = mode == "SAME_UPPER";
  const auto same = [&](int64_t size, int64_t stride, int64_t dilation, int64_t length) {
    return SamePadding(AxisWindow(size, stride, dilation, 0, 0), length, upper);
  };
  const Padding down = same(window.kernel.y, window.stride.y, window.dilation.y, x[2]);
  const Padding across = same(window.kernel.x, window.stride.x, window.dilation.x, x[3]);
  return Padding2d{down.begin, across.begin, down.end, across.end};
}

// How many spatial axes x has.
absl::StatusOr<size_t> CountAxes(const quant::Shape& x) {
  if (x.size() == 3 || x.size() == 4) return x.size() - 2;
  return MakeError(label::onnx_shape, "x is " + quant::ToString(x) +
                                          "; only windows over [N, C, L] and [N, C, H, W] are imported");
}

quant::Shape AsImage(const quant::Shape& x) { return x.size() == 3 ? quant::Shape{x[0], x[1], 1, x[2]} : x; }

// The pads of one axis that cut a transposed convolution of n elements to `wanted`; of an odd number, the smaller half
// in front under `upper`. What no pad can add becomes output padding.
Padding CutTo(int64_t wanted, const tally::Window& window, int64_t n, bool upper, int64_t& output_padding) {
  const int64_t total = (n - 1) * window.stride + window.extent() + output_padding - wanted;
  if (total < 0) output_padding -= total;
  const int64_t smaller = std::max<int64_t>(total, 0) / 2, larger = std::max<int64_t>(total, 0) - smaller;
  return upper ? Padding{smaller, larger} : Padding{larger, smaller};
}

}  // namespace

absl::StatusOr<Window> ReadWindow(Attributes& attributes, const quant::Shape& shape_of_x,
                                  const std::optional<Extent2d>& weight_kernel) {
  ASSIGN_OR_RETURN(const size_t axes, CountAxes(shape_of_x));
  const quant::Shape x = AsImage(shape_of_x);
  Window window;
  ASSIGN_OR_RETURN(window.kernel, ReadKernel(attributes, weight_kernel, axes));
  ASSIGN_OR_RETURN(window.stride, ReadExtent(attributes, "strides", axes));
  ASSIGN_OR_RETURN(window.dilation, ReadExtent(attributes, "dilations", axes));
  ASSIGN_OR_RETURN(const auto pads, ReadSpatial(attributes, "pads", axes, 0, 0, 2));
  ASSIGN_OR_RETURN(const std::string auto_pad, attributes.String("auto_pad", "NOTSET"));
  ASSIGN_OR_RETURN(const bool ceil_mode, attributes.Bool("ceil_mode", false));

  Padding2d& pad = window.pad;
  if (pads.has_value()) pad = {(*pads)[0], (*pads)[1], (*pads)[2], (*pads)[3]};
  if (auto_pad != "NOTSET") {
    if (pad != Padding2d{})
      return MakeError(label::onnx_malformed, "attributes auto_pad and pads exclude each other");
    if (ceil_mode)
      return MakeError(label::onnx_unsupported_attribute, "ceil_mode with auto_pad is not imported");
    ASSIGN_OR_RETURN(pad, AutoPad(auto_pad, window, x));
  }
  window.has_pads = pad != Padding2d{};
  if (ceil_mode) {
    const int64_t extra_y = CeilPadding(
        AxisWindow(window.kernel.y, window.stride.y, window.dilation.y, pad.top, pad.bottom), x[2]);
    const int64_t extra_x = CeilPadding(
        AxisWindow(window.kernel.x, window.stride.x, window.dilation.x, pad.left, pad.right), x[3]);
    window.ceil_adds_pads = extra_y > 0 || extra_x > 0;
    pad.bottom += extra_y;
    pad.right += extra_x;
  }
  return window;
}

absl::StatusOr<TransposedWindow> ReadTransposedWindow(Attributes& attributes, const quant::Shape& shape_of_x,
                                                      const Extent2d& weight_kernel) {
  ASSIGN_OR_RETURN(const size_t axes, CountAxes(shape_of_x));
  const quant::Shape x = AsImage(shape_of_x);
  TransposedWindow transposed;
  auto& [window, output_padding] = transposed;
  ASSIGN_OR_RETURN(window.kernel, ReadKernel(attributes, weight_kernel, axes));
  ASSIGN_OR_RETURN(window.stride, ReadExtent(attributes, "strides", axes));
  ASSIGN_OR_RETURN(window.dilation, ReadExtent(attributes, "dilations", axes));
  ASSIGN_OR_RETURN(const auto pads, ReadSpatial(attributes, "pads", axes, 0, 0, 2));
  ASSIGN_OR_RETURN(const auto added, ReadSpatial(attributes, "output_padding", axes, 0, 0));
  ASSIGN_OR_RETURN(auto wanted, ReadSpatial(attributes, "output_shape", axes, 1, 1));
  ASSIGN_OR_RETURN(const std::string auto_pad, attributes.String("auto_pad", "NOTSET"));

  if (pads.has_value()) window.pad = {(*pads)[0], (*pads)[1], (*pads)[2], (*pads)[3]};
  if (added.has_value()) output_padding = {(*added)[0], (*added)[1]};
  const bool upper = auto_pad == "SAME_UPPER", same = upper || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "NOTSET" && auto_pad != "VALID") {
    return MakeError(label::onnx_malformed, "attribute auto_pad is " + PrintableStart(auto_pad));
  }
  if (auto_pad != "NOTSET" && window.pad != Padding2d{}) {
    return MakeError(label::onnx_malformed, "attributes auto_pad and pads exclude each other");
  }
  if (same && !wanted.has_value()) wanted = {x[2] * window.stride.y, x[3] * window.stride.x};
  if (wanted.has_value()) {
    const Padding down =
        CutTo((*wanted)[0], AxisWindow(window.kernel.y, window.stride.y, window.dilation.y, 0, 0), x[2],
              upper, output_padding.y);
    const Padding across =
        CutTo((*wanted)[1], AxisWindow(window.kernel.x, window.stride.x, window.dilation.x, 0, 0), x[3],
              upper, output_padding.x);
    window.pad = {down.begin, across.begin, down.end, across.end};
  }
  return transposed;
}

}  // namespace tally::onnx
