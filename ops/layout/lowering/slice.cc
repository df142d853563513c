// Lowerings that keep some elements of each axis.
#include <algorithm>

#include "base/int_math.h"
#include "ops/common/compose.h"
#include "ops/layout/lowering/attrs.h"
#include "ops/lowerings.h"

namespace tally {
namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

// The elements that numpy's begin:end:step takes of an axis of n elements, in the numbers of strided_slice.
struct AxisRange {
  int64_t begin = 0, end = 0, step = 1;
};

absl::StatusOr<AxisRange> RangeOf(int64_t begin, int64_t end, int64_t step, int64_t n) {
  if (step == 0) return Meaningless("a step is 0");
  // Both ends as places from the front, at the nearest where a walk in this direction can begin or stop.
  const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? n : n - 1;
  const auto place = [&](int64_t i) { return std::clamp(i < 0 ? i + n : i, lowest, highest); };
  AxisRange range = {place(begin), place(end), std::clamp(step, -kMost, kMost)};
  const bool empty = step > 0 ? range.begin >= range.end : range.begin <= range.end;
  if (empty) return Meaningless("a slice holds nothing");
  if (range.end < 0) range.end -= n;  // one before the first element
  return range;
}

// The whole axis, in the direction of the step.
AxisRange WholeAxis(int64_t step, int64_t n) {
  return step > 0 ? AxisRange{0, n, step} : AxisRange{n - 1, -n - 1, step};
}

absl::StatusOr<Value> Slice(Composition& c, Value x, const std::vector<AxisRange>& ranges) {
  StridedSliceAttrs attrs;
  for (const AxisRange& range : ranges) {
    attrs.begin.push_back(range.begin);
    attrs.end.push_back(range.end);
    attrs.stride.push_back(range.step);
  }
  return c.Apply(Opcode::kStridedSlice, {x}, attrs);
}

std::vector<AxisRange> WholeAxes(const Shape& x) {
  std::vector<AxisRange> ranges;
  for (const int64_t n : x.dims()) ranges.push_back(WholeAxis(1, n));
  return ranges;
}

bool Bit(const std::vector<int64_t>& mask, size_t j) { return j < mask.size() && mask[j] != 0; }

}  // namespace

absl::StatusOr<std::vector<Value>> LowerSlice(Composition& c, std::span<const Value> operands,
                                              const Attributes& attributes) {
  const auto attrs = Unpack<SliceAttrs>(attributes);
  const Shape& x = c.shape(operands[0]);
  const size_t count = attrs.begin.size();
  if (attrs.end.size() != count || (!attrs.axes.empty() && attrs.axes.size() != count) ||
      (!attrs.steps.empty() && attrs.steps.size() != count)) {
    return Meaningless("lists of different lengths");
  }
  const Dims axes = attrs.axes.empty() ? EveryAxis(static_cast<int>(count)) : attrs.axes;
  RETURN_IF_ERROR(AxesOf(axes, x.rank()).status());
  std::vector<AxisRange> ranges = WholeAxes(x);
  for (size_t j = 0; j < count; ++j) {
    ASSIGN_OR_RETURN(const int axis, AxisOf(axes[j], x.rank()));
    const int64_t step = attrs.steps.empty() ? 1 : attrs.steps[j];
    ASSIGN_OR_RETURN(ranges[axis], RangeOf(attrs.begin[j], attrs.end[j], step, x[axis]));
  }
  return One(Slice(c, operands[0], ranges));
}

absl::StatusOr<std::vector<Value>> LowerMaskedSlice(Composition& c, std::span<const Value> operands,
                                                    const Attributes& attributes) {
  const auto attrs = Unpack<MaskedSliceAttrs>(attributes);
  const Shape& x = c.shape(operands[0]);
  const size_t count = attrs.begin.size();
  if (attrs.end.size() != count || (!attrs.strides.empty() && attrs.strides.size() != count)) {
    return Meaningless("lists of different lengths");
  }
  int64_t skipped = x.rank();  // axes that the ellipsis stands for
  for (size_t j = 0; j < count; ++j) skipped -= !Bit(attrs.new_axis_mask, j) && !Bit(attrs.ellipsis_mask, j);
  std::vector<AxisRange> ranges;
  Dims dims;  // the result's
  bool ellipsis = false;
  const auto take_whole = [&](int64_t axes) {
    for (; axes > 0; --axes) {
      dims.push_back(x[static_cast<int>(ranges.size())]);
      ranges.push_back(WholeAxis(1, dims.back()));
    }
  };
  for (size_t j = 0; j < count; ++j) {
    if (Bit(attrs.ellipsis_mask, j)) {
      if (ellipsis) return Meaningless("two ellipses");
      ellipsis = true;
      take_whole(skipped);
      continue;
    }
    if (Bit(attrs.new_axis_mask, j)) {
      dims.push_back(1);
      continue;
    }
    if (std::ssize(ranges) == x.rank()) return Meaningless("more entries than axes");
    const int64_t n = x[static_cast<int>(ranges.size())];
    if (Bit(attrs.shrink_axis_mask, j)) {  // one element, whose axis vanishes
      const int64_t begin = attrs.begin[j] < 0 ? attrs.begin[j] + n : attrs.begin[j];
      if (begin < 0 || begin >= n) return Meaningless(absl::StrCat("no element ", attrs.begin[j]));
      ranges.push_back({begin, begin + 1, 1});
      continue;
    }
    const int64_t step = attrs.strides.empty() ? 1 : attrs.strides[j];
    const int64_t begin = Bit(attrs.begin_mask, j) ? (step > 0 ? 0 : kAnyHi) : attrs.begin[j];
    const int64_t end = Bit(attrs.end_mask, j) ? (step > 0 ? kAnyHi : kAnyLo) : attrs.end[j];
    ASSIGN_OR_RETURN(const AxisRange range, RangeOf(begin, end, step, n));
    const int64_t last = range.end < 0 ? range.end + n : range.end;
    ranges.push_back(range);
    dims.push_back(range.step > 0 ? CeilDiv(last - range.begin, range.step)
                                  : CeilDiv(range.begin - last, -range.step));
  }
  if (!ellipsis) take_whole(skipped);
  ASSIGN_OR_RETURN(const Value sliced, Slice(c, operands[0], ranges));
  return One(Reshape(c, sliced, dims));
}

absl::StatusOr<std::vector<Value>> LowerReverse(Composition& c, std::span<const Value> operands,
                                                const Attributes& attributes) {
  const Shape& x = c.shape(operands[0]);
  ASSIGN_OR_RETURN(const std::vector<bool> listed, AxesOf(Unpack<AxesAttrs>(attributes).axes, x.rank()));
  std::vector<AxisRange> ranges;
  for (int axis = 0; axis < x.rank(); ++axis) ranges.push_back(WholeAxis(listed[axis] ? -1 : 1, x[axis]));
  return One(Slice(c, operands[0], ranges));
}

absl::StatusOr<std::vector<Value>> LowerSliceLike(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  Dims axes = Unpack<SliceLikeAttrs>(attributes).axis;
  const Shape &x = c.shape(operands[0]), &like = c.shape(operands[1]);
  if (axes.empty()) {
    if (x.rank() != like.rank()) return Meaningless(absl::StrCat(x.ToString(), " like ", like.ToString()));
    axes = EveryAxis(x.rank());
  }
  Dims length = DimsOf(x);
  for (const int64_t entry : axes) {
    ASSIGN_OR_RETURN(const int axis, AxisOf(entry, x.rank()));
    if (axis >= like.rank() || like[axis] > x[axis]) {
      return Meaningless(absl::StrCat("axis ", axis, " of ", x.ToString(), " like ", like.ToString()));
    }
    length[axis] = like[axis];
  }
  return One(Crop(c, operands[0], Dims(x.rank(), 0), length));
}

absl::StatusOr<std::vector<Value>> LowerCropLike(Composition& c, std::span<const Value> operands,
                                                 const Attributes& attributes) {
  const auto attrs = Unpack<CropLikeAttrs>(attributes);
  const Shape &x = c.shape(operands[0]), &like = c.shape(operands[1]);
  if (x.rank() != like.rank()) return Meaningless(absl::StrCat(x.ToString(), " like ", like.ToString()));
  const Dims axes = attrs.axes.empty() ? EveryAxis(x.rank()) : attrs.axes;
  Dims begin(x.rank(), 0), length = DimsOf(x);
  if (!attrs.offsets.empty() && attrs.offsets.size() != axes.size())
    return Meaningless("offsets and axes differ");
  for (size_t j = 0; j < axes.size(); ++j) {
    ASSIGN_OR_RETURN(const int axis, AxisOf(axes[j], x.rank()));
    begin[axis] = attrs.offsets.empty() ? 0 : attrs.offsets[j];
    length[axis] = like[axis];
    if (begin[axis] + length[axis] > x[axis])
      return Meaningless(absl::StrCat("axis ", axis, " is too short"));
  }
  return One(Crop(c, operands[0], begin, length));
}

namespace {

// Without the first and the last elements of each axis.
absl::StatusOr<Value> Cropped(Composition& c, Value x, const Dims& before, const Dims& after) {
  Dims length = DimsOf(c.shape(x));
  if (before.size() != length.size() || after.size() != length.size()) {
    return Meaningless(
        absl::StrCat(before.size(), " and ", after.size(), " amounts for rank ", length.size()));
  }
  for (size_t i = 0; i < length.size(); ++i) {
    length[i] -= before[i] + after[i];
    if (length[i] < 1) return Meaningless(absl::StrCat("nothing is left of axis ", i));
  }
  return Crop(c, x, before, length);
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerCrop(Composition& c, std::span<const Value> operands,
                                             const Attributes& attributes) {
  const auto attrs = Unpack<CropAttrs>(attributes);
  return One(Cropped(c, operands[0], attrs.before, attrs.after));
}

// Cropping first leaves the elements that the padding repeats.
absl::StatusOr<std::vector<Value>> LowerPadOrCrop(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  const auto attrs = Unpack<PadOrCropAttrs>(attributes);
  PadAttrs pad = {.before = attrs.before, .after = attrs.after, .value = attrs.value, .mode = attrs.mode};
  Dims before = attrs.before, after = attrs.after;
  for (Dims* crop : {&before, &after}) {
    for (int64_t& amount : *crop) amount = std::max<int64_t>(-amount, 0);
  }
  for (Dims* grow : {&pad.before, &pad.after}) {
    for (int64_t& amount : *grow) amount = std::max<int64_t>(amount, 0);
  }
  ASSIGN_OR_RETURN(const Value x, Cropped(c, operands[0], before, after));
  return One(c.Apply(Opcode::kPad, {x}, pad));
}

}  // namespace tally
