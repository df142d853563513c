// The attributes of ONNX's windows, with automatic padding resolved.
#pragma once

#include <span>

#include "absl/status/statusor.h"
#include "frontends/onnx/attributes.h"
#include "ops/window.h"

namespace tally::onnx {

struct ExactWindows {
  std::vector<int64_t> kernel, stride, dilation, pad_begin, pad_end;
  std::string auto_pad;

  // The lists of an attribute struct of the linear or the pooling family.
  template <typename Attrs>
  void CopyTo(Attrs& attrs) const {
    attrs.stride = stride;
    attrs.dilation = dilation;
    attrs.pad_begin = pad_begin;
    attrs.pad_end = pad_end;
  }
};

// Reads auto_pad, dilations, kernel_shape, pads and strides of a node whose spatial axes are `dims`; `kernel` is that of
// its weights, if it has some. Errors: onnx_malformed, onnx_unsupported_attribute.
absl::StatusOr<ExactWindows> ReadExactWindows(Attributes& attributes, std::span<const int64_t> dims,
                                              std::span<const int64_t> kernel);

}  // namespace tally::onnx
