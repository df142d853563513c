#include "frontends/onnx/exact/exact_window.h"

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/labels.h"
#include "ops/window.h"

namespace tally::onnx {

absl::StatusOr<ExactWindows> ReadExactWindows(ExactNode& node, const ExactValue& x, const ExactValue* w) {
  auto dims = node.c().shape(x.value).dims();
  if (dims.size() < 3) return MakeError(label::onnx_shape, "the input has no spatial axes");
  dims = dims.subspan(2);
  const size_t axes = dims.size();
  std::vector<int64_t> kernel(axes, 0);
  if (w != nullptr) {
    const auto of_weights = node.c().shape(w->value).dims();
    if (of_weights.size() != axes + 2) return MakeError(label::onnx_shape, "the weights have another rank");
    kernel.assign(of_weights.begin() + 2, of_weights.end());
  }
  Attributes& attributes = node.attributes();
  const auto read = [&](std::string_view name,
                        std::vector<int64_t> fallback) -> absl::StatusOr<std::vector<int64_t>> {
    ASSIGN_OR_RETURN(const auto list, attributes.Ints(name));
    if (!list) return fallback;
    if (list->size() != fallback.size())
      return MakeError(label::onnx_malformed, std::string(name) + " has another rank");
    return *list;
  };
  ExactWindows windows;
  ASSIGN_OR_RETURN(windows.kernel, read("kernel_shape", kernel));
  ASSIGN_OR_RETURN(windows.stride, read("strides", std::vector<int64_t>(axes, 1)));
  ASSIGN_OR_RETURN(windows.dilation, read("dilations", std::vector<int64_t>(axes, 1)));
  ASSIGN_OR_RETURN(const std::vector<int64_t> pads, read("pads", std::vector<int64_t>(2 * axes, 0)));
  ASSIGN_OR_RETURN(windows.auto_pad, attributes.String("auto_pad", "NOTSET"));
  for (size_t i = 0; i < axes; ++i) {
    const auto fits = [](int64_t number, int64_t least) { return number >= least && number <= kMaxDim; };
    if (!fits(windows.kernel[i], 1) || !fits(windows.stride[i], 1) || !fits(windows.dilation[i], 1) ||
        !fits(pads[i], 0) || !fits(pads[axes + i], 0)) {
      return MakeError(label::onnx_malformed, "a window out of range");
    }
    Padding padding = {pads[i], pads[axes + i]};
    if (windows.auto_pad == "SAME_UPPER" || windows.auto_pad == "SAME_LOWER") {
      const Window window = {
          .size = windows.kernel[i], .stride = windows.stride[i], .dilation = windows.dilation[i]};
      padding = SamePadding(window, dims[i], windows.auto_pad == "SAME_UPPER");
    } else if (windows.auto_pad == "VALID") {
      padding = {};
    } else if (windows.auto_pad != "NOTSET") {
      return MakeError(label::onnx_unsupported_attribute, "auto_pad " + windows.auto_pad);
    }
    windows.pad_begin.push_back(padding.begin);
    windows.pad_end.push_back(padding.end);
  }
  return windows;
}

}  // namespace tally::onnx
