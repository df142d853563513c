// The attributes of ONNX's windows, with automatic padding resolved.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/exact/exact_node.h"

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

// Reads auto_pad, dilations, kernel_shape, pads and strides of a node with spatial axes of `x` behind the first two; `w`
// are its weights, whose kernel serves where kernel_shape is left out, if it has some. All numbers are at most
// kMaxDim. Errors: onnx_shape, onnx_malformed, onnx_unsupported_attribute.
absl::StatusOr<ExactWindows> ReadExactWindows(ExactNode& node, const ExactValue& x, const ExactValue* w);

}  // namespace tally::onnx
