#include "frontends/onnx/exact/exact_window.h"

#include "base/error.h"
#include "base/status_macros.h"

namespace tally::onnx {

absl::StatusOr<ExactWindows> ReadExactWindows(Attributes& attributes, std::span<const int64_t> dims,
                                              std::span<const int64_t> kernel) {
  const size_t axes = dims.size();
  const auto read = [&](std::string_view name,
                        std::vector<int64_t> fallback) -> absl::StatusOr<std::vector<int64_t>> {
    ASSIGN_OR_RETURN(const auto list, attributes.Ints(name));
    if (!list) return fallback;
    if (list->size() != fallback.size())
      return MakeError("onnx_malformed", std::string(name) + " has another rank");
    return *list;
  };
  ExactWindows windows;
  ASSIGN_OR_RETURN(windows.kernel,
                   read("kernel_shape", kernel.empty() ? std::vector<int64_t>(axes, 0)
                                                       : std::vector<int64_t>(kernel.begin(), kernel.end())));
  ASSIGN_OR_RETURN(windows.stride, read("strides", std::vector<int64_t>(axes, 1)));
  ASSIGN_OR_RETURN(windows.dilation, read("dilations", std::vector<int64_t>(axes, 1)));
  ASSIGN_OR_RETURN(const std::vector<int64_t> pads, read("pads", std::vector<int64_t>(2 * axes, 0)));
  ASSIGN_OR_RETURN(windows.auto_pad, attributes.String("auto_pad", "NOTSET"));
  for (size_t i = 0; i < axes; ++i) {
    if (windows.kernel[i] < 1 || windows.stride[i] < 1 || windows.dilation[i] < 1 || pads[i] < 0 ||
        pads[axes + i] < 0) {
      return MakeError("onnx_malformed", "a window out of range");
    }
    Padding padding = {pads[i], pads[axes + i]};
    if (windows.auto_pad == "SAME_UPPER" || windows.auto_pad == "SAME_LOWER") {
      const Window window = {
          .size = windows.kernel[i], .stride = windows.stride[i], .dilation = windows.dilation[i]};
      padding = SamePadding(window, dims[i], windows.auto_pad == "SAME_UPPER");
    } else if (windows.auto_pad == "VALID") {
      padding = {};
    } else if (windows.auto_pad != "NOTSET") {
      return MakeError("onnx_unsupported_attribute", "auto_pad " + windows.auto_pad);
    }
    windows.pad_begin.push_back(padding.begin);
    windows.pad_end.push_back(padding.end);
  }
  return windows;
}

}  // namespace tally::onnx
