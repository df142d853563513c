// Parts of values, and what surrounds them.
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/gather.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

using quant::Shape;
using List = std::vector<int64_t>;

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

absl::Status ImportSplit(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const size_t axis, node.AxisInput(1, x.shape().size()));
  ASSIGN_OR_RETURN(const int64_t parts, node.Int("num_splits"));
  if (parts != static_cast<int64_t>(node.num_outputs()))
    return Malformed("num_splits is not that of its outputs");
  if (x.shape()[axis] % parts != 0) return MakeError(label::model_shape, "the parts are not of one size");
  return node.FinishParts(x, axis, List(static_cast<size_t>(parts), x.shape()[axis] / parts));
}

absl::Status ImportVariadicSplit(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const size_t axis, node.AxisInput(1, x.shape().size()));
  ASSIGN_OR_RETURN(List sizes, node.List(2));
  const auto rest = std::ranges::find(sizes, -1);
  if (rest != sizes.end()) {  // the rest of the others
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
  Operand y = x;
  if (slice != All(shape)) {
    ASSIGN_OR_RETURN(y, node.Emit(slice, {x}, "slice"));
  }
  if (result == y.shape()) return node.FinishAs(y);
  return node.Finish(quant::Reshape{std::move(result)}, {y});
}

// x, start, stop, step and [axes].
absl::Status ImportSlice(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(4, 5));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  List lists[3];
  for (size_t i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(lists[i], node.List(i + 1));
    if (lists[i].size() != lists[0].size()) return Malformed("its lists have other lengths");
  }
  const auto& [start, stop, step] = lists;
  if (start.size() > x.shape().size())
    return MakeError(label::model_shape, "it names more axes than there are");
  List axes = AxesFrom(0, start.size());
  if (node.HasInput(4)) {
    ASSIGN_OR_RETURN(axes, node.List(4));
  }
  if (axes.size() != start.size()) return Malformed("its lists have other lengths");
  quant::Slice slice = All(x.shape());
  std::set<size_t> named;
  for (size_t i = 0; i < axes.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(axes[i], x.shape().size()));
    if (step[i] == 0) return Malformed("a step is 0");
    const auto a = static_cast<size_t>(axis);
    if (!named.insert(a).second) return Malformed(absl::StrCat("it names axis ", a, " twice"));
    if (Narrow(slice, a, x.shape()[a], start[i], stop[i], step[i]) == 0)
      return MakeError(label::model_shape, "the slice is empty");
  }
  return node.Finish(slice, {x});
}

// Each axis turned: what leaves its end comes back at its beginning.
absl::Status ImportRoll(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(Operand x, node.Input(0));
  ASSIGN_OR_RETURN(List shifts, node.List(1));
  ASSIGN_OR_RETURN(const List axes, node.List(2));
  if (shifts.size() == 1) shifts.assign(axes.size(), shifts[0]);
  if (shifts.size() != axes.size()) return Malformed("it has another number of shifts than of axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(axes[i], x.shape().size()));
    const int64_t size = x.shape()[static_cast<size_t>(axis)];
    const int64_t first = (size - shifts[i] % size) % size;  // the element that comes to the beginning
    if (first == 0) continue;
    ASSIGN_OR_RETURN(const Operand end, Part(node, x, static_cast<size_t>(axis), first, size, "end"));
    ASSIGN_OR_RETURN(const Operand begin, Part(node, x, static_cast<size_t>(axis), 0, first, "begin"));
    ASSIGN_OR_RETURN(x, node.Emit(quant::Concat{axis}, {end, begin}, "rolled"));
  }
  return node.FinishAs(x);
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

}  // namespace tally::openvino
