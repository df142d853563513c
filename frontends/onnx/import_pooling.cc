#include "base/status_macros.h"
#include "frontends/graph/compositions/windows.h"
#include "frontends/onnx/operators.h"
#include "frontends/onnx/read_windows.h"

namespace tally::onnx {
namespace {

struct PoolOperands {
  Operand x;
  LayerWindows windows;
};

absl::StatusOr<PoolOperands> ReadPoolOperands(NodeContext& node) {
  PoolOperands read;
  ASSIGN_OR_RETURN(read.x, node.OnlyInput());
  RETURN_IF_ERROR(CheckPoolOperand(read.x));
  ASSIGN_OR_RETURN(read.windows,
                   ReadWindows(node.attributes(), SpatialDims(read.x.shape()), std::nullopt, true));
  return read;
}

}  // namespace

absl::Status ImportMaxPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const PoolOperands read, ReadPoolOperands(node));
  node.attributes().Ignore("storage_order");  // the order of the indices, which nobody can read
  return node.FinishAs(MaxPool(node, read.x, read.windows));
}

absl::Status ImportAveragePool(NodeContext& node) {
  ASSIGN_OR_RETURN(const PoolOperands read, ReadPoolOperands(node));
  ASSIGN_OR_RETURN(const bool count_include_pad, node.attributes().Bool("count_include_pad", false));
  return node.FinishAs(AveragePool(node, read.x, read.windows, count_include_pad));
}

absl::Status ImportGlobalAveragePool(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.FinishAs(GlobalAveragePool(node, x));
}

absl::Status ImportGlobalMaxPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.FinishAs(GlobalMaxPool(node, x));
}

}  // namespace tally::onnx
