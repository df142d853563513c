#include "frontends/graph/compositions/layout.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"

namespace tally::onnx {
namespace {

using quant::Shape;

absl::StatusOr<std::optional<std::vector<int64_t>>> AxesOf(NodeContext& node) {
  return ReadList(node, "axes", 1, 13);
}

}  // namespace

absl::Status ImportReshape(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  std::vector<int64_t> wanted;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(const quant::Int64Tensor* shape, node.IntConstant(1));
    wanted = shape->data;
  } else {  // how opsets below 5 wrote it, and some exporters still do
    ASSIGN_OR_RETURN(const auto attribute, node.attributes().Ints("shape"));
    if (!attribute.has_value()) return MakeError(label::model_malformed, "Reshape has no shape");
    wanted = *attribute;
  }
  bool allow_zero = false;
  if (node.opset() >= 14) {
    ASSIGN_OR_RETURN(allow_zero, node.attributes().Bool("allowzero", false));
  }
  ASSIGN_OR_RETURN(Shape shape, ResolveShape(wanted, x.shape(), allow_zero));
  return node.Finish(quant::Reshape{std::move(shape)}, {x});
}

absl::Status ImportFlatten(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  const size_t rank = x.shape().size();
  ASSIGN_OR_RETURN(int64_t axis, node.attributes().Int("axis", 1));
  if (axis != static_cast<int64_t>(rank)) {
    ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, rank));
  }
  return node.Finish(quant::Reshape{Flattened(x.shape(), axis)}, {x});
}

absl::Status ImportTranspose(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const auto permutation, node.attributes().Ints("perm"));
  std::vector<int64_t> reversed(x.shape().size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return node.Finish(quant::Transpose{permutation.value_or(reversed)}, {x});
}

absl::Status ImportConcat(NodeContext& node) {
  std::vector<Operand> operands;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(Operand operand, node.InputOrEmpty(i));
    // An empty constant adds nothing: what is left of a shape, or a past of no steps.
    const bool is_empty = operand.is_constant() && std::ranges::count(operand.shape(), 0) > 0;
    if (is_empty && node.num_inputs() > 1) continue;
    ASSIGN_OR_RETURN(operand, node.Input(i));
    operands.push_back(std::move(operand));
  }
  if (operands.empty()) return MakeError(label::model_malformed, "Concat has no inputs, or empty ones");
  if (node.attributes().Find("axis") == nullptr)
    return MakeError(label::model_malformed, "attribute axis is missing");
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, operands[0].shape().size()));
  return node.Finish(quant::Concat{axis}, operands);
}

// To the broadcast of x and the shape, which may have ones where x is longer.
absl::Status ImportExpand(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const quant::Int64Tensor* wanted, node.IntConstant(1));
  RETURN_IF_ERROR(quant::CheckShape(wanted->data));
  ASSIGN_OR_RETURN(Shape shape, quant::Broadcast(x.shape(), wanted->data));
  if (shape == x.shape()) return node.FinishAs(x);
  return node.Finish(quant::Expand{std::move(shape)}, {x});
}

absl::Status ImportTile(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const quant::Int64Tensor* repeats, node.IntConstant(1));
  const bool is_copy = std::ranges::all_of(repeats->data, [](int64_t count) { return count == 1; });
  if (is_copy && repeats->data.size() == x.shape().size()) return node.FinishAs(x);
  return node.Finish(quant::Tile{repeats->data}, {x});
}

absl::Status ImportDepthToSpace(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const BlockForm read, ReadBlocks(node, /*has_mode=*/true));
  return node.FinishAs(DepthToSpace(node, x, read.size, read.block_first));
}

absl::Status ImportSpaceToDepth(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const BlockForm read, ReadBlocks(node, /*has_mode=*/false));
  return node.FinishAs(SpaceToDepth(node, x, read.size, true));
}

absl::Status ImportIdentity(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.FinishAs(x);
}

absl::Status ImportSqueeze(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, node.opset() < 13 ? 1 : 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const auto axes, AxesOf(node));
  ASSIGN_OR_RETURN(Shape shape, Squeezed(x.shape(), axes));
  return node.Finish(quant::Reshape{std::move(shape)}, {x});
}

absl::Status ImportUnsqueeze(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, node.opset() < 13 ? 1 : 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const auto axes, AxesOf(node));
  if (!axes.has_value()) return MakeError(label::model_malformed, "Unsqueeze has no axes");
  ASSIGN_OR_RETURN(Shape shape, Unsqueezed(x.shape(), *axes));
  return node.Finish(quant::Reshape{std::move(shape)}, {x});
}

}  // namespace tally::onnx
