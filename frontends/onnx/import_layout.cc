#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/axis.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

using quant::Shape;

// A list of integers that was an attribute at first and became an input in opset 13; nothing, when left out.
absl::StatusOr<std::optional<std::vector<int64_t>>> AxesOf(NodeContext& node) {
  if (node.opset() < 13) return node.attributes().Ints("axes");
  if (!node.HasInput(1)) return std::nullopt;
  ASSIGN_OR_RETURN(const quant::Int64Tensor* axes, node.IntConstant(1));
  return axes->data;
}

// The axes of a shape of `rank`, as flags. Errors: onnx_malformed.
absl::StatusOr<std::vector<bool>> MarkAxes(const std::vector<int64_t>& axes, size_t rank) {
  std::vector<bool> marked(rank, false);
  for (const int64_t wanted : axes) {
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, rank));
    if (marked[axis])
      return MakeError(label::onnx_malformed, "axis " + std::to_string(axis) + " occurs twice");
    marked[axis] = true;
  }
  return marked;
}

// Resolves 0 (copied from x, unless allow_zero) and one -1 (what is left) in the shape that Reshape asks for.
absl::StatusOr<Shape> ResolveShape(const std::vector<int64_t>& wanted, const Shape& x, bool allow_zero) {
  if (wanted.size() > quant::kMaxRank) return MakeError(label::onnx_shape, "the rank asked for is too large");
  Shape shape = wanted;
  std::optional<size_t> open;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (open.has_value()) return MakeError(label::onnx_malformed, "two dimensions are -1");
      open = i;
      shape[i] = 1;
    } else if (shape[i] == 0 && !allow_zero) {
      if (i >= x.size())
        return MakeError(label::onnx_malformed, "a dimension of 0 copies one that x does not have");
      shape[i] = x[i];
    }
  }
  RETURN_IF_ERROR(quant::CheckShape(shape));
  if (open.has_value()) {
    const int64_t known = quant::NumElements(shape);
    if (quant::NumElements(x) % known != 0) {
      return MakeError(label::onnx_shape, quant::ToString(x) + " does not fill " + quant::ToString(wanted));
    }
    shape[*open] = quant::NumElements(x) / known;
  }
  return shape;
}

struct Blocks {
  Operand x;  // [N, C, H, W]
  int64_t size;
};

absl::StatusOr<Blocks> ReadBlocks(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t size, node.attributes().Int("blocksize", 0));
  constexpr int64_t kMost = 1 << 15;
  if (size < 1 || size > kMost) {
    return MakeError(label::onnx_malformed, "attribute blocksize is " + std::to_string(size));
  }
  if (x.shape().size() != 4) {
    return MakeError(label::onnx_shape, "x is " + quant::ToString(x.shape()) + ", not [N, C, H, W]");
  }
  return Blocks{std::move(x), size};
}

// The elements of x, seen as `split`, with the axes in `order`, seen as `shape`.
absl::Status Rearrange(NodeContext& node, const Operand& x, const Shape& split,
                       const std::vector<int64_t>& order, const Shape& shape) {
  ASSIGN_OR_RETURN(const Operand blocks, node.Emit(quant::Reshape{split}, {x}, "blocks"));
  ASSIGN_OR_RETURN(const Operand moved, node.Emit(quant::Transpose{order}, {blocks}, "moved"));
  return node.Finish(quant::Reshape{shape}, {moved});
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
    if (!attribute.has_value()) return MakeError(label::onnx_malformed, "Reshape has no shape");
    wanted = *attribute;
  }
  bool allow_zero = false;
  if (node.opset() >= 14) {
    ASSIGN_OR_RETURN(allow_zero, node.attributes().Bool("allowzero", false));
  }
  ASSIGN_OR_RETURN(Shape shape, ResolveShape(wanted, x.shape(), allow_zero));
  return node.Finish(quant::Reshape{std::move(shape)}, {x});
}

// [d0, ..., dn] -> [d0 ... d(axis-1), daxis ... dn].
absl::Status ImportFlatten(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  const Shape& shape = x.shape();
  ASSIGN_OR_RETURN(int64_t axis, node.attributes().Int("axis", 1));
  if (axis != static_cast<int64_t>(shape.size())) {
    ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, shape.size()));
  }
  const int64_t rows = quant::NumElements(Shape(shape.begin(), shape.begin() + axis));
  return node.Finish(quant::Reshape{{rows, quant::NumElements(shape) / rows}}, {x});
}

absl::Status ImportTranspose(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
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
  if (operands.empty()) return MakeError(label::onnx_malformed, "Concat has no inputs, or empty ones");
  if (node.attributes().Find("axis") == nullptr)
    return MakeError(label::onnx_malformed, "attribute axis is missing");
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

// [N, C b b, H, W] -> [N, C, H b, W b]: the block's place is the first part of the channel (DCR) or the last
// (CRD).
absl::Status ImportDepthToSpace(NodeContext& node) {
  ASSIGN_OR_RETURN(const Blocks blocks, ReadBlocks(node));
  const auto& [x, b] = blocks;
  ASSIGN_OR_RETURN(const std::string mode, node.attributes().String("mode", "DCR"));
  if (mode != "DCR" && mode != "CRD") {
    return MakeError(label::onnx_malformed, "attribute mode is " + PrintableStart(mode));
  }
  const bool block_first = mode == "DCR";
  const int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2], w = x.shape()[3];
  if (c % (b * b) != 0) {
    return MakeError(label::onnx_shape, "the channels of " + quant::ToString(x.shape()) +
                                            " are no multiple of " + std::to_string(b * b));
  }
  const int64_t depth = c / (b * b);
  const Shape split = block_first ? Shape{n, b, b, depth, h, w} : Shape{n, depth, b, b, h, w};
  const std::vector<int64_t> order =
      block_first ? std::vector<int64_t>{0, 3, 4, 1, 5, 2} : std::vector<int64_t>{0, 1, 4, 2, 5, 3};
  return Rearrange(node, x, split, order, {n, depth, h * b, w * b});
}

// [N, C, H b, W b] -> [N, b b C, H, W].
absl::Status ImportSpaceToDepth(NodeContext& node) {
  ASSIGN_OR_RETURN(const Blocks blocks, ReadBlocks(node));
  const auto& [x, b] = blocks;
  const int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2], w = x.shape()[3];
  if (h % b != 0 || w % b != 0) {
    return MakeError(label::onnx_shape,
                     quant::ToString(x.shape()) + " has no whole blocks of " + std::to_string(b));
  }
  return Rearrange(node, x, {n, c, h / b, b, w / b, b}, {0, 3, 5, 1, 2, 4}, {n, b * b * c, h / b, w / b});
}

absl::Status ImportIdentity(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  return node.FinishAs(x);
}

absl::Status ImportSqueeze(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, node.opset() < 13 ? 1 : 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const auto axes, AxesOf(node));
  std::vector<bool> removed(x.shape().size(), false);
  if (axes.has_value()) {
    ASSIGN_OR_RETURN(removed, MarkAxes(*axes, x.shape().size()));
  } else {
    std::transform(x.shape().begin(), x.shape().end(), removed.begin(),
                   [](int64_t size) { return size == 1; });
  }
  Shape shape;
  for (size_t i = 0; i < x.shape().size(); ++i) {
    if (!removed[i]) shape.push_back(x.shape()[i]);
    if (removed[i] && x.shape()[i] != 1) {
      return MakeError(label::onnx_shape,
                       "axis " + std::to_string(i) + " of " + quant::ToString(x.shape()) + " is not 1");
    }
  }
  return node.Finish(quant::Reshape{std::move(shape)}, {x});
}

absl::Status ImportUnsqueeze(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, node.opset() < 13 ? 1 : 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const auto axes, AxesOf(node));
  if (!axes.has_value()) return MakeError(label::onnx_malformed, "Unsqueeze has no axes");
  if (axes->size() > quant::kMaxRank) return MakeError(label::onnx_malformed, "there are too many axes");
  ASSIGN_OR_RETURN(const std::vector<bool> inserted, MarkAxes(*axes, x.shape().size() + axes->size()));
  Shape shape;
  size_t next = 0;
  for (const bool is_inserted : inserted) shape.push_back(is_inserted ? 1 : x.shape()[next++]);
  return node.Finish(quant::Reshape{std::move(shape)}, {x});
}

}  // namespace tally::onnx
