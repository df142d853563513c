// Operations that move elements, and shapes.
#include "frontends/graph/compositions/layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/int_math.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/gather.h"
#include "frontends/graph/compositions/selection.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

using quant::Shape;
using List = std::vector<int64_t>;

absl::Status FinishShape(IrNode& node, const Operand& x, Shape shape) {
  if (shape == x.shape()) return node.FinishAs(x);
  return node.Finish(quant::Reshape{std::move(shape)}, {x});
}

}  // namespace

absl::Status ImportConcat(IrNode& node) {
  ASSIGN_OR_RETURN(const std::vector<Operand> operands, node.Inputs());
  if (operands.empty()) return Malformed("it joins nothing");
  ASSIGN_OR_RETURN(const int64_t given, node.Int("axis"));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, operands[0].shape().size()));
  if (operands.size() == 1) return node.FinishAs(operands[0]);
  return node.Finish(quant::Concat{axis}, operands);
}

absl::Status ImportReshape(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand listed, node.InputOrEmpty(1));
  List wanted;  // none: a scalar
  if (quant::NumElements(listed.shape()) > 0) {
    ASSIGN_OR_RETURN(wanted, node.List(1));
  }
  ASSIGN_OR_RETURN(const bool special_zero, node.Flag("special_zero"));
  ASSIGN_OR_RETURN(Shape shape, ResolveShape(wanted, x.shape(), !special_zero));
  return FinishShape(node, x, std::move(shape));
}

absl::Status ImportSqueeze(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  std::optional<List> axes;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(axes, node.List(1));
  }
  ASSIGN_OR_RETURN(Shape shape, Squeezed(x.shape(), axes));
  return FinishShape(node, x, std::move(shape));
}

absl::Status ImportUnsqueeze(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const List axes, node.List(1));
  ASSIGN_OR_RETURN(Shape shape, Unsqueezed(x.shape(), axes));
  return FinishShape(node, x, std::move(shape));
}

absl::Status ImportTranspose(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  List order(x.shape().size());
  std::iota(order.rbegin(), order.rend(), 0);
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(const Operand listed, node.InputOrEmpty(1));
    if (quant::NumElements(listed.shape()) > 0) {
      ASSIGN_OR_RETURN(order, node.List(1));
    }
  }
  return node.Finish(quant::Transpose{std::move(order)}, {x});
}

absl::Status ImportShapeOf(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  RETURN_IF_ERROR(node.Word("output_type", "i64").status());
  return node.FinishAsConstant(quant::Int64Tensor{{std::ssize(x.shape())}, x.shape()});
}

absl::Status ImportBroadcast(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ASSIGN_OR_RETURN(Operand x, node.Input(0));
  ASSIGN_OR_RETURN(Shape shape, node.List(1));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode", "numpy"));
  RETURN_IF_ERROR(quant::CheckShape(shape));
  if (mode == "explicit") {  // axis i of x is axis mapping[i] of the result
    RETURN_IF_ERROR(node.CheckInputCount(3, 3));
    ASSIGN_OR_RETURN(const List mapping, node.List(2));
    Shape wanted(shape.size(), 1);
    if (mapping.size() != x.shape().size()) return Malformed("it maps another number of axes");
    for (size_t i = 0; i < mapping.size(); ++i) {
      if (mapping[i] < 0 || mapping[i] >= std::ssize(shape) || (i > 0 && mapping[i] <= mapping[i - 1]))
        return Malformed("the axes do not ascend");
      wanted[static_cast<size_t>(mapping[i])] = x.shape()[i];
    }
    ASSIGN_OR_RETURN(x, node.Emit(quant::Reshape{std::move(wanted)}, {x}, "mapped"));
  } else if (mode == "bidirectional") {
    ASSIGN_OR_RETURN(shape, quant::Broadcast(x.shape(), shape));
  } else if (mode != "numpy") {
    return Unsupported("mode " + PrintableStart(mode));
  }
  if (shape == x.shape()) return node.FinishAs(x);
  return node.Finish(quant::Expand{std::move(shape)}, {x});
}

absl::Status ImportTile(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(List repeats, node.List(1));
  return node.FinishAs(Tiled(node, x, std::move(repeats)));
}

absl::Status ImportOneHot(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(4, 4));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t depth, node.Number(1));
  ASSIGN_OR_RETURN(const int64_t given, node.Int("axis"));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, indices.shape().size() + 1));
  ASSIGN_OR_RETURN(const Operand on, node.Input(2));
  ASSIGN_OR_RETURN(const Operand off, node.Input(3));
  std::vector<Operand> values;
  for (const Operand& value : {off, on}) {
    ASSIGN_OR_RETURN(Operand one, node.Emit(quant::Reshape{{1}}, {value}, "value"));
    values.push_back(std::move(one));
  }
  ASSIGN_OR_RETURN(const Operand both, node.Emit(quant::Concat{0}, values, "values"));
  if (depth > quant::kMaxAttribute) return Malformed("the depth is out of range");
  return node.FinishAs(OneHot(node, indices, axis, depth, both, /*from_back=*/false));
}

// start + i step, which are constants.
absl::Status ImportRange(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  RETURN_IF_ERROR(node.Word("output_type", "").status());
  ASSIGN_OR_RETURN(const double start, node.NumberConstant(0));
  ASSIGN_OR_RETURN(const double stop, node.NumberConstant(1));
  ASSIGN_OR_RETURN(const double step, node.NumberConstant(2));
  ASSIGN_OR_RETURN(const Operand first, node.Input(0));
  if (first.is_integer()) {
    ASSIGN_OR_RETURN(auto range, RangeOf(static_cast<int64_t>(start), static_cast<int64_t>(stop),
                                         static_cast<int64_t>(step)));
    return node.FinishAsConstant(std::move(range));
  }
  ASSIGN_OR_RETURN(auto range,
                   RangeOf(static_cast<float>(start), static_cast<float>(stop), static_cast<float>(step)));
  return node.FinishAsConstant(std::move(range));
}

absl::Status ImportReverseSequence(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand lengths, node.Input(1));
  quant::ReverseSequence reverse;
  ASSIGN_OR_RETURN(const int64_t batch, node.Int("batch_axis", 0));
  ASSIGN_OR_RETURN(const int64_t time, node.Int("seq_axis", 1));
  ASSIGN_OR_RETURN(reverse.batch_axis, NormalizeAxis(batch, x.shape().size()));
  ASSIGN_OR_RETURN(reverse.time_axis, NormalizeAxis(time, x.shape().size()));
  return node.Finish(reverse, {x, lengths});
}

absl::Status ImportDepthToSpace(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t size, node.Int("block_size", 1));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode"));
  if (mode != "blocks_first" && mode != "depth_first") return Malformed("mode is " + PrintableStart(mode));
  return node.FinishAs(DepthToSpace(node, x, size, mode == "blocks_first"));
}

absl::Status ImportSpaceToDepth(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t size, node.Int("block_size", 1));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode"));
  if (mode != "blocks_first" && mode != "depth_first") return Malformed("mode is " + PrintableStart(mode));
  return node.FinishAs(SpaceToDepth(node, x, size, mode == "blocks_first"));
}

// [.., g c, ..] -> [.., c g, ..]
absl::Status ImportShuffleChannels(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t given, node.Int("axis", 1));
  ASSIGN_OR_RETURN(const int64_t groups, node.Int("group", 1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, x.shape().size()));
  return node.FinishAs(Shuffled(node, x, static_cast<size_t>(axis), groups));
}

// As Darknet does it: in the order of memory, channels c of [C / s^2, H s, W s] become those of [C s^2, H /
// s, W / s], whatever the shape of x says.
absl::Status ImportReorgYolo(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t s, node.Int("stride"));
  const Shape& shape = x.shape();
  if (shape.size() != 4 || s < 1 || s > 1 << 15 || shape[1] % (s * s) != 0 || shape[2] % s != 0 ||
      shape[3] % s != 0) {
    return MakeError(label::model_shape,
                     "x is " + quant::ToString(shape) + " and the stride " + std::to_string(s));
  }
  const int64_t c = shape[1] / (s * s), h = shape[2], w = shape[3];
  ASSIGN_OR_RETURN(const Operand seen, node.Emit(quant::Reshape{{shape[0], c, h, s, w, s}}, {x}, "seen"));
  ASSIGN_OR_RETURN(const Operand moved, node.Emit(quant::Transpose{{0, 3, 5, 1, 2, 4}}, {seen}, "moved"));
  return node.Finish(quant::Reshape{{shape[0], shape[1] * s * s, h / s, w / s}}, {moved});
}

}  // namespace tally::openvino
