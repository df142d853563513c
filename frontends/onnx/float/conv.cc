#include "base/status_macros.h"
#include "frontends/graph/compositions/windows.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/read_windows.h"

namespace tally::onnx {
namespace {

absl::StatusOr<ConvOperands> ReadOperands(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ConvOperands read;
  ASSIGN_OR_RETURN(read.x, node.Input(0));
  ASSIGN_OR_RETURN(read.weight, node.Input(1));
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(read.bias, node.Input(2));
  }
  RETURN_IF_ERROR(CheckConvOperands(read));
  return read;
}

}  // namespace

absl::Status ImportConv(NodeContext& node) {
  ASSIGN_OR_RETURN(const ConvOperands read, ReadOperands(node));
  ASSIGN_OR_RETURN(const LayerWindows windows, ReadWindows(node.attributes(), SpatialDims(read.x.shape()),
                                                           KernelOf(read.weight.shape())));
  ASSIGN_OR_RETURN(const int64_t groups, node.attributes().Int("group", 1));
  return node.FinishAs(Convolution(node, read, windows, groups));
}

absl::Status ImportConvTranspose(NodeContext& node) {
  ASSIGN_OR_RETURN(const ConvOperands read, ReadOperands(node));
  ASSIGN_OR_RETURN(
      const LayerWindows windows,
      ReadTransposedWindows(node.attributes(), SpatialDims(read.x.shape()), KernelOf(read.weight.shape())));
  ASSIGN_OR_RETURN(const int64_t groups, node.attributes().Int("group", 1));
  return node.FinishAs(TransposedConvolution(node, read, windows, groups));
}

}  // namespace tally::onnx
