#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
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
    ASSIGN_OR_RETURN(Operand operand, node.Input(i));
    operands.push_back(std::move(operand));
  }
  if (operands.empty()) return MakeError(label::onnx_malformed, "Concat has no inputs");
  if (node.attributes().Find("axis") == nullptr)
    return MakeError(label::onnx_malformed, "attribute axis is missing");
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, operands[0].shape().size()));
  return node.Finish(quant::Concat{axis}, operands);
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
