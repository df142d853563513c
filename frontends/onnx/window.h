// The window of a convolution or a pool, with automatic padding and ceil_mode resolved into explicit pads.
//
//   ASSIGN_OR_RETURN(const Window window, ReadWindow(node.attributes(), x.shape(), kernel_shape_of_weight));
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "frontends/onnx/attributes.h"
#include "quant/graph/op.h"

namespace tally::onnx {

struct Window {
  quant::Extent2d kernel;
  quant::Extent2d stride;
  quant::Extent2d dilation;
  quant::Padding2d pad;         // with what ceil_mode adds at the end
  bool has_pads = false;        // the file or auto_pad asks for pads
  bool ceil_adds_pads = false;  // ceil_mode extends some window beyond them
};

// Of a transposed convolution: pads cut its result.
struct TransposedWindow {
  Window window;
  quant::Extent2d output_padding = {0, 0};
};

// Reads auto_pad, ceil_mode, dilations, kernel_shape, pads and strides. `x` is the shape of the input, [N, C, H, W] or
// [N, C, L]: attributes of one spatial axis are those of W, and H is 1;
// `weight_kernel` that of a convolution's weight, which kernel_shape, if present, must repeat.
// Errors: onnx_shape                  x has another rank, or a shape contradicts another
//         onnx_malformed              an attribute is missing or out of range
//         onnx_unsupported_attribute  auto_pad with ceil_mode
absl::StatusOr<Window> ReadWindow(Attributes& attributes, const quant::Shape& x,
                                  const std::optional<quant::Extent2d>& weight_kernel);

// Reads auto_pad, dilations, kernel_shape, output_padding, output_shape, pads and strides, as of ReadWindow.
absl::StatusOr<TransposedWindow> ReadTransposedWindow(Attributes& attributes, const quant::Shape& x,
                                                      const quant::Extent2d& weight_kernel);

}  // namespace tally::onnx
