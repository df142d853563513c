// Parts of values.
#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/gather.h"
#include "frontends/graph/compositions/layout.h"

namespace tally::coreml {
namespace {

using quant::Shape;

constexpr int64_t kFar = int64_t{1} << 40;

}  // namespace

// Along C, H or W. What is left out is 0, and the end is one that no element is at.
absl::Status ImportSlice(CoremlLayer& layer) {
  const schema::Slice& params = layer.file().slice();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  if (params.axis() < 0 || params.axis() > 2)
    return UnknownValue("axis", params.axis(), "0 (channel), 1 (height) and 2 (width)");
  ASSIGN_OR_RETURN(Operand x, layer.Input(0));
  if (!layer.is_exact() && params.axis() != schema::Slice::CHANNEL_AXIS) {
    ASSIGN_OR_RETURN(const Images images, layer.AsImages(x));
    x = images.x;
  }
  ASSIGN_OR_RETURN(const size_t channels, layer.ChannelAxis(x));
  const size_t axis = channels + static_cast<size_t>(params.axis());
  ASSIGN_OR_RETURN(const int64_t stride, SizeOf(params.stride()));
  quant::Slice slice = All(x.shape());
  if (Narrow(slice, axis, x.shape()[axis], params.start_index(), params.end_index(), stride) < 1)
    return BadShape(absl::StrCat("it keeps nothing of ", x.shape()[axis]));
  return layer.Finish(std::move(slice), {x});
}

namespace {

// As NumPy slices: one entry for each axis.
struct Ids {
  List begin, end, stride;
  std::vector<bool> open_begin, open_end, squeezes;
};

template <typename Flags>
std::vector<bool> Masks(const Flags& flags, size_t rank) {
  std::vector<bool> masks(flags.begin(), flags.end());
  masks.resize(rank, false);
  return masks;
}

// The fields of the file, but for where slices begin.
template <typename Params>
absl::StatusOr<Ids> IdsOf(const Params& params, size_t rank) {
  Ids ids = {.open_begin = Masks(params.begin_masks(), rank),
             .open_end = Masks(params.end_masks(), rank),
             .squeezes = Masks(params.squeeze_masks(), rank)};
  ASSIGN_OR_RETURN(ids.end, ListOf(params.end_ids()));
  ASSIGN_OR_RETURN(ids.stride, ListOf(params.strides()));
  return ids;
}

absl::Status FinishSliced(CoremlLayer& layer, const Operand& x, Ids ids) {
  const size_t rank = x.shape().size();
  ids.stride.resize(ids.stride.empty() ? rank : ids.stride.size(), 1);
  if (ids.begin.size() != rank || ids.end.size() != rank || ids.stride.size() != rank)
    return Malformed("its ids are not one for each axis");
  quant::Slice slice = All(x.shape());
  Shape result;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t size = x.shape()[i];
    if (ids.squeezes[i]) {
      ASSIGN_OR_RETURN(const int64_t place, PlaceOn(size, ids.open_begin[i] ? 0 : ids.begin[i]));
      slice.begin[i] = place;
      slice.end[i] = place + 1;
      continue;
    }
    if (ids.stride[i] == 0) return Malformed("a stride is 0");
    const bool back = ids.stride[i] < 0;
    const int64_t begin = ids.open_begin[i] ? (back ? kFar : 0) : ids.begin[i];
    const int64_t end = ids.open_end[i] ? (back ? -kFar : kFar) : ids.end[i];
    result.push_back(Narrow(slice, i, size, begin, end, ids.stride[i]));
    if (result.back() < 1) return BadShape(absl::StrCat("it keeps nothing of axis ", i));
  }
  if (result.empty()) result = {1};  // Core ML has no scalars
  ASSIGN_OR_RETURN(const Operand part, layer.Emit(std::move(slice), {x}, "part"));
  return layer.FinishShape(part, std::move(result));
}

}  // namespace

absl::Status ImportSliceStatic(CoremlLayer& layer) {
  const schema::SliceStatic& params = layer.file().slice_static();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  const size_t rank = x.shape().size();
  ASSIGN_OR_RETURN(Ids ids, IdsOf(params, rank));
  ASSIGN_OR_RETURN(ids.begin, ListOf(params.begin_ids()));
  return FinishSliced(layer, x, std::move(ids));
}

// Inputs after x: begin, end, strides, and the three masks; what is not among them is in the file.
absl::Status ImportSliceDynamic(CoremlLayer& layer) {
  const schema::SliceDynamic& params = layer.file().slice_dynamic();
  RETURN_IF_ERROR(layer.CheckInputCount(2, 7));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  const size_t rank = x.shape().size();
  ASSIGN_OR_RETURN(Ids ids, IdsOf(params, rank));
  ASSIGN_OR_RETURN(ids.begin, layer.Listed(1));
  List* const lists[] = {&ids.end, &ids.stride};
  for (size_t i = 2; i < std::min<size_t>(layer.num_inputs(), 4); ++i) {
    ASSIGN_OR_RETURN(*lists[i - 2], layer.Listed(i));
  }
  std::vector<bool>* const masks[] = {&ids.open_begin, &ids.open_end, &ids.squeezes};
  for (size_t i = 4; i < layer.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(const List mask, layer.Listed(i));
    for (size_t j = 0; j < std::min(mask.size(), rank); ++j) (*masks[i - 4])[j] = mask[j] != 0;
  }
  return FinishSliced(layer, x, std::move(ids));
}

// x [begin, begin + size) along an axis, with a begin that may be computed: the last such part where it is
// beyond.
absl::Status ImportSliceBySize(CoremlLayer& layer) {
  const schema::SliceBySize& params = layer.file().slice_by_size();
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(params.axis(), x.shape().size()));
  ASSIGN_OR_RETURN(const int64_t size, SizeOf(params.size()));
  const int64_t length = x.shape()[static_cast<size_t>(axis)];
  if (size > length) return BadShape(absl::StrCat("it keeps ", size, " of ", length));
  ASSIGN_OR_RETURN(const Operand begin, layer.Whole(1));
  if (quant::NumElements(begin.shape()) != 1) return BadShape("where it begins is not one number");
  RETURN_IF_ERROR(layer.Charge(size));
  quant::Int64Tensor steps{{size}, {}};
  for (int64_t i = 0; i < size; ++i) steps.data.push_back(i);
  ASSIGN_OR_RETURN(const Operand offsets, layer.NewConstant(std::move(steps), "steps"));
  ASSIGN_OR_RETURN(const Operand zero, layer.NewConstant(int64_t{0}, "zero"));
  ASSIGN_OR_RETURN(const Operand last, layer.NewConstant(length - size, "last"));
  ASSIGN_OR_RETURN(const Operand first, layer.Emit(quant::Reshape{{1}}, {begin}, "first"));
  using Kind = quant::IntegerArithmetic::Kind;
  ASSIGN_OR_RETURN(const Operand below,
                   layer.Emit(quant::IntegerArithmetic{Kind::kMin}, {first, last}, "below"));
  ASSIGN_OR_RETURN(const Operand inside,
                   layer.Emit(quant::IntegerArithmetic{Kind::kMax}, {below, zero}, "inside"));
  ASSIGN_OR_RETURN(const Operand places,
                   layer.Emit(quant::IntegerArithmetic{Kind::kAdd}, {inside, offsets}, "places"));
  return layer.FinishAs(GatherSlices(layer, x, places, axis));
}

// Windows along an axis become an axis of their own before it.
absl::Status ImportSlidingWindows(CoremlLayer& layer) {
  const schema::SlidingWindows& params = layer.file().sliding_windows();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(params.axis(), x.shape().size()));
  ASSIGN_OR_RETURN(const int64_t size, SizeOf(params.window_size()));
  ASSIGN_OR_RETURN(const int64_t step, SizeOf(params.step()));
  const int64_t length = x.shape()[static_cast<size_t>(axis)];
  if (size > length) return BadShape(absl::StrCat("windows of ", size, " in ", length));
  const int64_t count = (length - size) / step + 1;
  RETURN_IF_ERROR(layer.Charge(count * size));
  quant::Int64Tensor places{{count, size}, {}};
  for (int64_t i = 0; i < count * size; ++i) places.data.push_back(i / size * step + i % size);
  ASSIGN_OR_RETURN(const Operand indices, layer.NewConstant(std::move(places), "places"));
  return layer.FinishAs(GatherSlices(layer, x, indices, axis));
}

absl::Status ImportReverse(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  const auto& flags = layer.file().reverse().reverse_dim();
  if (std::cmp_not_equal(flags.size(), x.shape().size()))
    return Malformed("reverseDim is not one for each axis");
  quant::Slice slice = All(x.shape());
  for (int i = 0; i < flags.size(); ++i) {
    const auto axis = static_cast<size_t>(i);
    if (flags[i]) Narrow(slice, axis, x.shape()[axis], kFar, -kFar, -1);
  }
  return layer.Finish(std::move(slice), {x});
}

absl::Status ImportReverseSeq(CoremlLayer& layer) {
  const schema::ReverseSeq& params = layer.file().reverse_seq();
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const Operand lengths, layer.Whole(1));
  quant::ReverseSequence reverse;
  ASSIGN_OR_RETURN(reverse.batch_axis, NormalizeAxis(params.batch_axis(), x.shape().size()));
  ASSIGN_OR_RETURN(reverse.time_axis, NormalizeAxis(params.sequence_axis(), x.shape().size()));
  return layer.Finish(reverse, {x, lengths});
}

}  // namespace tally::coreml
