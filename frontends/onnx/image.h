// Values of one spatial axis, [N, C, L], as images of one row, [N, C, 1, L], and their windows: what the
// graph has.
//
//   ASSIGN_OR_RETURN(const ImageWindow window, ReadImageWindow(node.attributes(), x.shape()));
//   ASSIGN_OR_RETURN(const Operand image, AsImage(node, x, "image"));
//   return FinishFromImage(node, pool, {image}, x.shape().size());
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/node_context.h"

namespace tally::onnx {

struct ImageWindow {
  quant::Extent2d kernel;
  quant::Extent2d stride;
  quant::Extent2d dilation;
  quant::Padding2d pad;  // with what ceil_mode adds at the end
  quant::Extent2d output_padding = {0, 0};
  bool has_pads = false;        // the file or auto_pad asks for pads
  bool ceil_adds_pads = false;  // ceil_mode extends some window beyond them
};

// The window of a pool over `x`, [N, C, H, W] or [N, C, L]: attributes of one spatial axis are those of W.
// Errors: those of ReadWindows; onnx_shape for another rank.
absl::StatusOr<ImageWindow> ReadImageWindow(Attributes& attributes, const quant::Shape& x);
// That of a convolution by `weight`, which has the rank of x.
absl::StatusOr<ImageWindow> ReadConvWindow(Attributes& attributes, const quant::Shape& x,
                                           const quant::Shape& weight);
absl::StatusOr<ImageWindow> ReadTransposedWindow(Attributes& attributes, const quant::Shape& x,
                                                 const quant::Shape& weight);

// Any other rank stays as it is.
absl::StatusOr<Operand> AsImage(NodeContext& node, const Operand& x, std::string_view step);

// The result of `op` on images is output 0, without its axis of one row where `rank`, that of x, is 3.
absl::Status FinishFromImage(NodeContext& node, quant::Op op, const std::vector<Operand>& operands,
                             size_t rank);

}  // namespace tally::onnx
