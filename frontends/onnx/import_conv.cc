#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/image.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

// x and weight as images, and the bias if there is one.
struct ConvOperands {
  std::vector<Operand> operands;
  size_t rank;  // x's
  quant::Shape x, weight;
};

absl::StatusOr<ConvOperands> ReadOperands(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand weight, node.Input(1));
  const size_t rank = weight.shape().size();
  if ((rank != 3 && rank != 4) || x.shape().size() != rank) {
    return MakeError(label::onnx_shape,
                     "x is " + quant::ToString(x.shape()) + " and the weight is " +
                         quant::ToString(weight.shape()) +
                         "; the weight of a convolution has the rank of x, 3 (1-D) or 4 (2-D)");
  }
  ConvOperands read = {.rank = rank, .x = x.shape(), .weight = weight.shape()};
  for (const auto& [operand, step] : {std::pair(x, "image"), std::pair(weight, "weight")}) {
    ASSIGN_OR_RETURN(Operand image, AsImage(node, operand, step));
    read.operands.push_back(std::move(image));
  }
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(Operand bias, node.Input(2));
    read.operands.push_back(std::move(bias));
  }
  return read;
}

}  // namespace

absl::Status ImportConv(NodeContext& node) {
  ASSIGN_OR_RETURN(const ConvOperands read, ReadOperands(node));
  ASSIGN_OR_RETURN(const ImageWindow window, ReadConvWindow(node.attributes(), read.x, read.weight));
  ASSIGN_OR_RETURN(const int64_t groups, node.attributes().Int("group", 1));
  return FinishFromImage(node, quant::Conv2d{window.stride, window.dilation, window.pad, groups},
                         read.operands, read.rank);
}

absl::Status ImportConvTranspose(NodeContext& node) {
  ASSIGN_OR_RETURN(const ConvOperands read, ReadOperands(node));
  ASSIGN_OR_RETURN(const ImageWindow window, ReadTransposedWindow(node.attributes(), read.x, read.weight));
  ASSIGN_OR_RETURN(const int64_t groups, node.attributes().Int("group", 1));
  return FinishFromImage(
      node, quant::ConvTranspose2d{window.stride, window.dilation, window.pad, window.output_padding, groups},
      read.operands, read.rank);
}

}  // namespace tally::onnx
