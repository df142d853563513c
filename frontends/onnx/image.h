// Values of one spatial axis, [N, C, L], as images of one row, [N, C, 1, L], which is what the graph has windows over.
//
//   ASSIGN_OR_RETURN(const Operand image, AsImage(node, x, "image"));
//   return FinishFromImage(node, pool, {image}, x.shape().size());
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/node_context.h"

namespace tally::onnx {

// Any other rank stays as it is.
absl::StatusOr<Operand> AsImage(NodeContext& node, const Operand& x, std::string_view step);

// The result of `op` on images is output 0, without its axis of one row where `rank`, that of x, is 3.
absl::Status FinishFromImage(NodeContext& node, quant::Op op, const std::vector<Operand>& operands,
                             size_t rank);

}  // namespace tally::onnx
