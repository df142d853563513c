#include "frontends/onnx/image.h"

#include <utility>

#include "base/status_macros.h"

namespace tally::onnx {

absl::StatusOr<Operand> AsImage(NodeContext& node, const Operand& x, std::string_view step) {
  const quant::Shape& shape = x.shape();
  if (shape.size() != 3) return x;
  return node.Emit(quant::Reshape{{shape[0], shape[1], 1, shape[2]}}, {x}, step);
}

absl::Status FinishFromImage(NodeContext& node, quant::Op op, const std::vector<Operand>& operands,
                             size_t rank) {
  if (rank != 3) return node.Finish(std::move(op), operands);
  ASSIGN_OR_RETURN(const Operand y, node.Emit(std::move(op), operands, "of_image"));
  return node.Finish(quant::Reshape{{y.shape()[0], y.shape()[1], y.shape()[3]}}, {y});
}

}  // namespace tally::onnx
