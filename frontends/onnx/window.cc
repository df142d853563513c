#include "frontends/onnx/window.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "frontends/onnx/printable.h"

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
    return MakeError("onnx_malformed", "attribute " + std::string(name) + " is not " + std::to_string(size) +
                                           " integers of at least " + std::to_string(least));
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
    if (!weight_kernel.has_value()) return MakeError("onnx_malformed", "attribute kernel_shape is missing");
    return *weight_kernel;
  }
  const Extent2d kernel = {(*values)[0], (*values)[1]};
  if (weight_kernel.has_value() && kernel != *weight_kernel) {
    return MakeError("onnx_shape", "attribute kernel_shape is not the shape of the weight");
  }
  return kernel;
}

// One spatial axis of a window.
struct Axis {
  int64_t size;    // of the input
  int64_t extent;  // of the dilated kernel
  int64_t stride;
};

// What auto_pad SAME pads: as much as gives ceil(size / stride) windows.
int64_t SamePadding(const Axis& axis) {
  return std::max<int64_t>((CeilDiv(axis.size, axis.stride) - 1) * axis.stride + axis.extent - axis.size, 0);
}

// What ceil_mode adds behind the pads: room for a last, partial window, if that starts before the end
// padding.
int64_t CeilPadding(const Axis& axis, int64_t begin, int64_t end) {
  const int64_t span = axis.size + begin + end - axis.extent;
  if (span < 0) return 0;  // the graph's own rule refuses this window
  int64_t last_start = CeilDiv(span, axis.stride) * axis.stride;
  if (last_start >= axis.size + begin) last_start -= axis.stride;
  return std::max<int64_t>(last_start - span, 0);
}

absl::StatusOr<Padding2d> AutoPad(std::string_view mode, const Axis& y, const Axis& x) {
  if (mode == "VALID") return Padding2d{};
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    return MakeError("onnx_malformed", "attribute auto_pad is " + Printable(mode));
  }
  const int64_t total_y = SamePadding(y), total_x = SamePadding(x);
  const int64_t odd = mode == "SAME_LOWER" ? 1 : 0;  // LOWER puts an odd element at the beginning
  const int64_t top = (total_y + odd) / 2, left = (total_x + odd) / 2;
  return Padding2d{top, left, total_y - top, total_x - left};
}

}  // namespace

absl::StatusOr<Window> ReadWindow(Attributes& attributes, const quant::Shape& x,
                                  const std::optional<Extent2d>& weight_kernel) {
  if (x.size() != 4) {
    return MakeError("onnx_shape",
                     "x is " + quant::ToString(x) + "; only 2-D windows over [N, C, H, W] are imported");
  }
  Window window;
  ASSIGN_OR_RETURN(window.kernel, ReadKernel(attributes, weight_kernel));
  ASSIGN_OR_RETURN(window.stride, ReadExtent(attributes, "strides"));
  ASSIGN_OR_RETURN(window.dilation, ReadExtent(attributes, "dilations"));
  ASSIGN_OR_RETURN(const auto pads, ReadInts(attributes, "pads", 4, 0));
  ASSIGN_OR_RETURN(const std::string auto_pad, attributes.String("auto_pad", "NOTSET"));
  ASSIGN_OR_RETURN(const bool ceil_mode, attributes.Bool("ceil_mode", false));

  const Axis y_axis = {x[2], (window.kernel.y - 1) * window.dilation.y + 1, window.stride.y};
  const Axis x_axis = {x[3], (window.kernel.x - 1) * window.dilation.x + 1, window.stride.x};
  Padding2d& pad = window.pad;
  if (pads.has_value()) pad = {(*pads)[0], (*pads)[1], (*pads)[2], (*pads)[3]};
  if (auto_pad != "NOTSET") {
    if (pad != Padding2d{})
      return MakeError("onnx_malformed", "attributes auto_pad and pads exclude each other");
    if (ceil_mode) return MakeError("onnx_unsupported_attribute", "ceil_mode with auto_pad is not imported");
    ASSIGN_OR_RETURN(pad, AutoPad(auto_pad, y_axis, x_axis));
  }
  window.has_pads = pad != Padding2d{};
  if (ceil_mode) {
    const int64_t extra_y = CeilPadding(y_axis, pad.top, pad.bottom);
    const int64_t extra_x = CeilPadding(x_axis, pad.left, pad.right);
    window.ceil_adds_pads = extra_y > 0 || extra_x > 0;
    pad.bottom += extra_y;
    pad.right += extra_x;
  }
  return window;
}

}  // namespace tally::onnx
