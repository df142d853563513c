// What moves elements, and shapes.
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
#include "frontends/graph/compositions/layout.h"
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

absl::StatusOr<size_t> ReadAxis(IrNode& node, size_t index, size_t rank) {
  ASSIGN_OR_RETURN(const int64_t given, node.Number(index));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, rank));
  return static_cast<size_t>(axis);
}

// Mirrored at its ends, which are repeated.
absl::StatusOr<Operand> MirroredWithEnds(IrNode& node, Operand x, const quant::Pad& pad) {
  for (size_t axis = 0; axis < pad.before.size(); ++axis) {
    const int64_t size = x.shape()[axis], before = pad.before[axis], after = pad.after[axis];
    if (before > size || after > size) return MakeError(label::model_shape, "a pad is longer than its axis");
    if (before == 0 && after == 0) continue;
    RETURN_IF_ERROR(node.Charge(before + size + after));
    quant::Int64Tensor places{{before + size + after}, {}};
    for (int64_t i = -before; i < size + after; ++i) {
      places.data.push_back(i < 0 ? -1 - i : i < size ? i : 2 * size - 1 - i);
    }
    ASSIGN_OR_RETURN(const Operand indices, node.NewConstant(std::move(places), "places"));
    ASSIGN_OR_RETURN(x, GatherSlices(node, x, indices, static_cast<int64_t>(axis)));
  }
  return x;
}

}  // namespace

absl::Status ImportConcat(IrNode& node) {
  std::vector<Operand> operands;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(Operand operand, node.Input(i));
    operands.push_back(std::move(operand));
  }
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

// The shorter of shape and repeats has ones in front.
absl::Status ImportTile(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(Operand x, node.Input(0));
  ASSIGN_OR_RETURN(List repeats, node.List(1));
  Shape shape = x.shape();
  if (shape.size() < repeats.size()) shape.insert(shape.begin(), repeats.size() - shape.size(), 1);
  if (repeats.size() < shape.size()) repeats.insert(repeats.begin(), shape.size() - repeats.size(), 1);
  if (shape != x.shape()) {
    ASSIGN_OR_RETURN(x, node.Emit(quant::Reshape{std::move(shape)}, {x}, "raised"));
  }
  if (std::ranges::all_of(repeats, [](int64_t count) { return count == 1; })) return node.FinishAs(x);
  return node.Finish(quant::Tile{std::move(repeats)}, {x});
}

absl::Status ImportSplit(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const size_t axis, ReadAxis(node, 1, x.shape().size()));
  ASSIGN_OR_RETURN(const int64_t parts, node.Int("num_splits"));
  if (parts != static_cast<int64_t>(node.num_outputs()))
    return Malformed("num_splits is not that of its outputs");
  if (x.shape()[axis] % parts != 0) return MakeError(label::model_shape, "the parts are not of one size");
  return node.FinishParts(x, axis, List(static_cast<size_t>(parts), x.shape()[axis] / parts));
}

absl::Status ImportVariadicSplit(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const size_t axis, ReadAxis(node, 1, x.shape().size()));
  ASSIGN_OR_RETURN(List sizes, node.List(2));
  const auto rest = std::ranges::find(sizes, -1);
  if (rest != sizes.end()) {  // what the others leave
    *rest = 0;
    if (std::ranges::any_of(sizes, [&](int64_t size) { return size < 0 || size > x.shape()[axis]; }))
      return Malformed("a part is out of range");
    *rest = x.shape()[axis] - std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  }
  if (std::ranges::any_of(sizes, [&](int64_t size) { return size < 0 || size > x.shape()[axis]; }))
    return Malformed("a part is out of range");
  return node.FinishParts(x, axis, sizes);
}

// Bits of the masks that are 1 say that the value of an axis is not read.
absl::Status ImportStridedSlice(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 4));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const List begin, node.List(1));
  ASSIGN_OR_RETURN(const List end, node.List(2));
  List step(begin.size(), 1);
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(step, node.List(3));
  }
  if (end.size() != begin.size() || step.size() != begin.size())
    return Malformed("its lists have other lengths");
  const auto bits = [&](const char* name) -> absl::StatusOr<std::vector<bool>> {
    ASSIGN_OR_RETURN(const List mask, node.Ints(name));
    std::vector<bool> flags(begin.size(), false);
    for (size_t i = 0; i < std::min(mask.size(), flags.size()); ++i) flags[i] = mask[i] != 0;
    return flags;
  };
  ASSIGN_OR_RETURN(const auto no_begin, bits("begin_mask"));
  ASSIGN_OR_RETURN(const auto no_end, bits("end_mask"));
  ASSIGN_OR_RETURN(const auto is_new, bits("new_axis_mask"));
  ASSIGN_OR_RETURN(const auto shrinks, bits("shrink_axis_mask"));
  ASSIGN_OR_RETURN(const auto is_ellipsis, bits("ellipsis_mask"));
  if (std::ranges::count(is_ellipsis, true) > 1) return Malformed("it has two ellipses");
  size_t named = 0;  // axes of x that the lists name
  for (size_t i = 0; i < begin.size(); ++i) named += is_new[i] || is_ellipsis[i] ? 0 : 1;
  const Shape& shape = x.shape();
  if (named > shape.size()) return MakeError(label::model_shape, "it names more axes than there are");
  quant::Slice slice = All(shape);
  Shape sliced = shape, result;
  size_t axis = 0;
  for (size_t i = 0; i < begin.size(); ++i) {
    if (is_ellipsis[i]) {
      for (size_t rest = shape.size() - named; rest > 0; --rest) result.push_back(shape[axis++]);
      continue;
    }
    if (is_new[i]) {
      result.push_back(1);
      continue;
    }
    if (step[i] == 0) return Malformed("a step is 0");
    const bool back = step[i] < 0;
    constexpr int64_t kFar = int64_t{1} << 40;
    const int64_t first = no_begin[i] ? (back ? kFar : 0) : begin[i];
    int64_t last = no_end[i] ? (back ? -kFar : kFar) : end[i];
    if (shrinks[i]) last = first == -1 ? kFar : first + 1;
    sliced[axis] = Narrow(slice, axis, shape[axis], first, last, shrinks[i] ? 1 : step[i]);
    if (sliced[axis] == 0) return MakeError(label::model_shape, "the slice is empty");
    if (!shrinks[i]) result.push_back(sliced[axis]);
    ++axis;
  }
  for (; axis < shape.size(); ++axis) result.push_back(shape[axis]);
  if (slice == All(shape)) return FinishShape(node, x, std::move(result));
  if (result == sliced) return node.Finish(slice, {x});
  ASSIGN_OR_RETURN(const Operand y, node.Emit(slice, {x}, "slice"));
  return FinishShape(node, y, std::move(result));
}

absl::Status ImportPad(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 4));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  quant::Pad pad;
  ASSIGN_OR_RETURN(pad.before, node.List(1));
  ASSIGN_OR_RETURN(pad.after, node.List(2));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("pad_mode"));
  double value = 0;
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(value, node.NumberConstant(3));
  }
  for (const List& amounts : {pad.before, pad.after}) {
    if (amounts.size() != x.shape().size()) return Malformed("it pads another number of axes");
    if (std::ranges::any_of(amounts, [](int64_t n) { return n < 0 || n > quant::kMaxAttribute; }))
      return Malformed("a pad is out of range");
  }
  if (mode == "symmetric") return node.FinishAs(MirroredWithEnds(node, x, pad));
  if (mode == "edge") pad.mode = quant::Pad::Mode::kEdge;
  if (mode == "reflect") pad.mode = quant::Pad::Mode::kReflect;
  if (mode != "constant" && mode != "edge" && mode != "reflect")
    return Unsupported("pad_mode " + PrintableStart(mode));
  if (mode == "constant" && value != 0) {
    return node.Finish(quant::PadConstant{static_cast<float>(value), pad.before, pad.after}, {x});
  }
  return node.Finish(std::move(pad), {x});
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

// The axes that a list or flags say.
absl::Status ImportReverse(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(List axes, node.List(1));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode"));
  if (mode == "mask") {
    if (axes.size() != x.shape().size()) return Malformed("its flags are not those of the axes");
    List marked;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (axes[i] != 0) marked.push_back(static_cast<int64_t>(i));
    }
    axes = std::move(marked);
  } else if (mode != "index") {
    return Malformed("mode is " + PrintableStart(mode));
  }
  quant::Slice slice = All(x.shape());
  for (const int64_t given : axes) {
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, x.shape().size()));
    const auto a = static_cast<size_t>(axis);
    constexpr int64_t kFar = int64_t{1} << 40;
    Narrow(slice, a, x.shape()[a], kFar, -kFar, -1);
  }
  return node.Finish(slice, {x});
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
