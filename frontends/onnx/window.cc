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

absl::StatusOr<Extent2d> ReadExtent(Attributes& attributes, std::string_view name) {
  ASSIGN_OR_RETURN(const auto values, ReadInts(attributes, name, 2, 1));
  return values.has_value() ? Extent2d{(*values)[0], (*values)[1]} : Extent2d{};
}

absl::StatusOr<Extent2d> ReadKernel(Attributes& attributes, const std::optional<Extent2d>& weight_kernel) {
  ASSIGN_OR_RETURN(const auto values, ReadInts(attributes, "kernel_shape", 2, 1));
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

}  // namespace

absl::StatusOr<Window> ReadWindow(Attributes& attributes, const quant::Shape& x,
                                  const std::optional<Extent2d>& weight_kernel) {
  if (x.size() != 4) {
    return MakeError(label::onnx_shape,
                     "x is " + quant::ToString(x) + "; only 2-D windows over [N, C, H, W] are imported");
  }
  Window window;
  ASSIGN_OR_RETURN(window.kernel, ReadKernel(attributes, weight_kernel));
  ASSIGN_OR_RETURN(window.stride, ReadExtent(attributes, "strides"));
  ASSIGN_OR_RETURN(window.dilation, ReadExtent(attributes, "dilations"));
  ASSIGN_OR_RETURN(const auto pads, ReadInts(attributes, "pads", 4, 0));
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

}  // namespace tally::onnx
