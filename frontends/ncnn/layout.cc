// Layers that move elements, and layers that do nothing to them.
#include "frontends/graph/compositions/layout.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {
namespace {

constexpr int64_t kNoBatchAxis = 233;

// x with its outermost axis after the others, or the last one before them.
absl::StatusOr<Operand> OutermostLast(NcnnLayer& layer, const Operand& x) {
  std::vector<int64_t> order(x.shape().size());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return layer.Emit(quant::Transpose{order}, {x}, "outermost_last");
}
absl::StatusOr<Operand> LastOutermost(NcnnLayer& layer, const Operand& x) {
  std::vector<int64_t> order(x.shape().size());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + 1, order.end() - 1, order.end());
  return layer.Emit(quant::Transpose{order}, {x}, "last_outermost");
}

// The elements that a padding of `pad` around x adds: 0 inside, and around it a number for each channel.
absl::StatusOr<Operand> AroundChannels(NcnnLayer& layer, const quant::Pad& pad, const Operand& x,
                                       const std::vector<float>& numbers) {
  quant::Shape shape = x.shape();
  for (size_t i = 0; i < shape.size(); ++i) shape[i] += pad.before[i] + pad.after[i];
  if (shape[1] != std::ssize(numbers)) return Malformed("it has another number of values than of channels");
  RETURN_IF_ERROR(quant::CheckShape(shape));
  RETURN_IF_ERROR(layer.Charge(quant::NumElements(shape)));
  quant::FloatTensor around{shape, {}};
  quant::Shape at(shape.size(), 0);
  for (int64_t n = quant::NumElements(shape); n > 0; --n) {
    bool inside = true;
    for (size_t i = 0; i < at.size(); ++i) {
      inside = inside && at[i] >= pad.before[i] && at[i] < shape[i] - pad.after[i];
    }
    around.data.push_back(inside ? 0 : numbers[static_cast<size_t>(at[1])]);
    for (size_t i = at.size(); i-- > 0 && ++at[i] == shape[i];) at[i] = 0;
  }
  return layer.NewConstant(std::move(around), "around");
}

}  // namespace

absl::Status ImportConcat(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const std::vector<Operand> parts, layer.Inputs());
  if (parts.empty()) return Malformed("it joins nothing");
  ASSIGN_OR_RETURN(const int64_t given, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const int64_t axis, AxisOf(given, parts[0]));
  return layer.Finish(quant::Concat{axis}, parts);
}

absl::Status ImportSlice(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, layer.params().Ints(0));
  ASSIGN_OR_RETURN(const int64_t given, layer.Int(1, 0));
  ASSIGN_OR_RETURN(const int64_t axis, AxisOf(given, x));
  if (sizes.size() != layer.num_outputs()) return Malformed("it has another number of sizes than of results");
  const int64_t all = x.shape()[static_cast<size_t>(axis)];
  for (int64_t begin = 0, i = 0; i < std::ssize(sizes); ++i) {
    const int64_t size = sizes[static_cast<size_t>(i)] == kNone ? (all - begin) / (std::ssize(sizes) - i)
                                                                : sizes[static_cast<size_t>(i)];
    if (size < 1 || size > all - begin)
      return Malformed("a part is empty, or the parts are longer than the axis");
    quant::Slice slice = All(x.shape());
    Narrow(slice, static_cast<size_t>(axis), all, begin, begin + size, 1);
    begin += size;
    if (!layer.IsRead(static_cast<size_t>(i))) continue;
    RETURN_IF_ERROR(layer.FinishOutput(static_cast<size_t>(i), slice, {x}));
  }
  return absl::OkStatus();
}

absl::Status ImportNoop(NcnnLayer& layer) {
  for (size_t i = 0; i < layer.num_outputs(); ++i) {
    ASSIGN_OR_RETURN(const Operand x, layer.Input(layer.num_inputs() == 1 ? 0 : i));
    RETURN_IF_ERROR(layer.FinishOutputAs(i, x));
  }
  return absl::OkStatus();
}

absl::Status ImportSplit(NcnnLayer& layer) { return ImportNoop(layer); }

// A layout in memory.
absl::Status ImportPacking(NcnnLayer& layer) {
  for (int id = 0; id < 6; ++id) layer.params().Ints(id).IgnoreError();
  return ImportNoop(layer);
}

absl::Status ImportMemoryData(NcnnLayer& layer) {
  quant::Shape shape;
  for (const int id : {2, 11, 1, 0}) {
    ASSIGN_OR_RETURN(const int64_t size, layer.Int(id, 0));
    if (size != 0) shape.push_back(size);
  }
  ASSIGN_OR_RETURN(const bool is_raw, layer.Flag(21, true));
  if (!is_raw) return MakeError(label::model_unsupported_attribute, "data with a tag");
  ASSIGN_OR_RETURN(const Operand data, layer.RawWeights(WithBatch(shape), "data"));
  return layer.FinishAs(data);
}

absl::Status ImportFlatten(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  return layer.FinishAs(AsBlob(layer, x, {quant::NumElements(x.shape())}, "flat"));
}

// 0 takes the dimension of the same name, -1 what is left; what is left out is no dimension.
absl::Status ImportReshape(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  const quant::Shape blob = BlobOf(x.shape());
  const size_t rank = blob.size();
  // The dimensions of x by name, in the order c, d, h, w.
  const std::array<int64_t, 4> named = {rank >= 3 ? blob[0] : 1, rank == 4 ? blob[1] : 1,
                                        rank >= 2 ? blob[rank - 2] : 1, blob[rank - 1]};
  constexpr int kIds[] = {2, 11, 1, 0};
  quant::Shape wanted;
  for (size_t i = 0; i < 4; ++i) {
    ASSIGN_OR_RETURN(const int64_t size, layer.Int(kIds[i], kNone));
    if (size == kNone) continue;
    wanted.push_back(size == 0 ? named[i] : size);
  }
  for (const int axis_of_batch : {12, 13}) {
    ASSIGN_OR_RETURN(const int64_t axis, layer.Int(axis_of_batch, kNoBatchAxis));
    if (axis != kNoBatchAxis)
      return MakeError(label::model_unsupported_attribute, "a batch as one of the axes that are reshaped");
  }
  ASSIGN_OR_RETURN(const std::string sizes, layer.params().Text(6));
  if (sizes.empty()) {
    RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  } else {  // the innermost first
    ASSIGN_OR_RETURN(wanted, SizesOf(layer, sizes));
    if (wanted.empty() || wanted.size() > 4) return Malformed("its sizes are not those of 1 to 4 axes");
    std::ranges::reverse(wanted);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const size_t from_inside = wanted.size() - i;  // w h c of three axes, w h d c of four
      if (wanted[i] == 0)
        wanted[i] = named[from_inside == wanted.size() && from_inside > 2 ? 0 : 4 - from_inside];
    }
  }
  ASSIGN_OR_RETURN(const bool permutes, layer.Flag(3, false));
  ASSIGN_OR_RETURN(quant::Shape shape, ResolveShape(wanted, blob, /*allow_zero=*/true));
  if (!permutes) return layer.FinishAs(AsBlob(layer, x, shape, "reshaped"));
  // In the order of h, w, c.
  ASSIGN_OR_RETURN(const Operand turned, OutermostLast(layer, x));
  std::rotate(shape.begin(), shape.begin() + 1, shape.end());
  ASSIGN_OR_RETURN(const Operand reshaped, AsBlob(layer, turned, shape, "reshaped"));
  return layer.FinishAs(LastOutermost(layer, reshaped));
}

// The order of the axes of the result, the innermost first, by type and rank.
absl::Status ImportPermute(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t type, layer.Int(0, 0));
  const size_t rank = BlobRank(x);
  // Axes of x from the innermost: w = 0, h = 1, c = 2 of three; of four w = 0, h = 1, d = 2, c = 3.
  constexpr int kOfThree[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};
  constexpr int kOfFour[24][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 2, 1, 3}, {2, 0, 1, 3}, {1, 2, 0, 3},
                                  {2, 1, 0, 3}, {0, 1, 3, 2}, {1, 0, 3, 2}, {0, 3, 1, 2}, {3, 0, 1, 2},
                                  {1, 3, 0, 2}, {3, 1, 0, 2}, {0, 2, 3, 1}, {2, 0, 3, 1}, {0, 3, 2, 1},
                                  {3, 0, 2, 1}, {2, 3, 0, 1}, {3, 2, 0, 1}, {1, 2, 3, 0}, {2, 1, 3, 0},
                                  {1, 3, 2, 0}, {3, 1, 2, 0}, {2, 3, 1, 0}, {3, 2, 1, 0}};
  const int64_t most = rank == 4 ? 24 : rank == 3 ? 6 : rank == 2 ? 2 : 1;
  if (type < 0 || type >= most)
    return UnknownValue(absl::StrCat("order_type of ", rank, " axes"), type, absl::StrCat("0 to ", most - 1));
  quant::Transpose transpose = {{0}};
  for (size_t i = 0; i < rank; ++i) {
    const size_t from_inside = rank - 1 - i;
    const int64_t axis =
        rank == 4   ? kOfFour[type][from_inside]
        : rank == 3 ? kOfThree[type][from_inside]
        : rank == 2 ? (type == 0 ? static_cast<int64_t>(from_inside) : static_cast<int64_t>(1 - from_inside))
                    : 0;
    transpose.permutation.push_back(static_cast<int64_t>(rank) - axis);
  }
  if (type == 0) return layer.FinishAs(x);
  return layer.Finish(transpose, {x});
}

// Mode 0 has the block in the channels after the depth, mode 1 before.
absl::Status ImportPixelShuffle(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t factor, layer.Int(0, 1));
  ASSIGN_OR_RETURN(const bool block_first, layer.Flag(1, false));
  return layer.FinishAs(DepthToSpace(layer, x, factor, block_first));
}

absl::Status ImportReorg(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t stride, layer.Int(0, 1));
  ASSIGN_OR_RETURN(const bool block_first, layer.Flag(1, false));
  if (BlobRank(x) != 3 || stride < 1) return Malformed("it reorganizes no image, or by no stride");
  const int64_t c = x.shape()[1], h = x.shape()[2] / stride, w = x.shape()[3] / stride;
  if (h < 1 || w < 1) return MakeError(label::model_shape, "its stride is larger than the image");
  ASSIGN_OR_RETURN(x, Part(layer, x, 2, 0, h * stride, "rows"));
  ASSIGN_OR_RETURN(x, Part(layer, x, 3, 0, w * stride, "columns"));
  ASSIGN_OR_RETURN(x, layer.Emit(quant::Reshape{{1, c, h, stride, w, stride}}, {x}, "blocks"));
  const std::vector<int64_t> order =
      block_first ? std::vector<int64_t>{0, 3, 5, 1, 2, 4} : std::vector<int64_t>{0, 1, 3, 5, 2, 4};
  ASSIGN_OR_RETURN(x, layer.Emit(quant::Transpose{order}, {x}, "moved"));
  return layer.Finish(quant::Reshape{{1, c * stride * stride, h, w}}, {x});
}

absl::Status ImportShuffleChannel(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(int64_t groups, layer.Int(0, 1));
  ASSIGN_OR_RETURN(const bool is_reverse, layer.Flag(1, false));
  if (groups < 1) return Malformed(absl::StrCat("its groups are ", groups, "; at least 1 is right"));
  if (is_reverse) groups = x.shape()[1] / groups;
  return layer.FinishAs(Shuffled(layer, x, 1, groups));
}

// Repeats from the outermost axis on; more of them than axes make further ones.
absl::Status ImportTile(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(std::vector<int64_t> repeats, layer.params().Ints(2));
  if (repeats.empty()) {
    ASSIGN_OR_RETURN(const int64_t given, layer.Int(0, 0));
    ASSIGN_OR_RETURN(const int64_t tiles, layer.Int(1, 1));
    ASSIGN_OR_RETURN(const int64_t axis, AxisOf(given, x));
    repeats.assign(BlobRank(x), 1);
    repeats[static_cast<size_t>(axis - 1)] = tiles;
  }
  quant::Shape blob = BlobOf(x.shape());
  while (blob.size() < repeats.size()) blob.insert(blob.begin(), 1);
  while (repeats.size() < blob.size()) repeats.insert(repeats.begin(), 1);
  ASSIGN_OR_RETURN(x, AsBlob(layer, x, blob, "of_more_axes"));
  repeats.insert(repeats.begin(), 1);
  return layer.Finish(quant::Tile{repeats}, {x});
}

absl::Status ImportPadding(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  const size_t rank = BlobRank(x);
  std::array<int64_t, 6> pads;  // top, bottom, left, right, front, back
  constexpr int kIds[] = {0, 1, 2, 3, 7, 8};
  for (size_t i = 0; i < 6; ++i) {
    ASSIGN_OR_RETURN(pads[i], layer.Int(kIds[i], 0));
    if (pads[i] < 0 || pads[i] > quant::kMaxAttribute) return Malformed("a pad is out of range");
  }
  ASSIGN_OR_RETURN(const int64_t type, layer.Int(4, 0));
  ASSIGN_OR_RETURN(const float value, layer.Float(5, 0));
  ASSIGN_OR_RETURN(const int64_t per_channel, layer.Int(6, 0));
  ASSIGN_OR_RETURN(const std::vector<float> values, layer.weights().Raw(per_channel));
  if (type < 0 || type > 2) return UnknownValue("type", type, "0 (constant), 1 (edge) and 2 (reflect)");
  quant::Pad pad = {static_cast<quant::Pad::Mode>(type), quant::Shape(rank + 1), quant::Shape(rank + 1)};
  const auto set = [&](size_t from_inside, int64_t before, int64_t after) {
    if (from_inside > rank) return;
    pad.before[rank + 1 - from_inside] = before;
    pad.after[rank + 1 - from_inside] = after;
  };
  set(1, pads[2], pads[3]);
  if (rank >= 2) set(2, pads[0], pads[1]);
  if (rank >= 3) set(3, pads[4], pads[5]);  // channels of an image, the depth of a volume
  if (type == 0 && !values.empty() && rank >= 3) {
    ASSIGN_OR_RETURN(const Operand around, AroundChannels(layer, pad, x, values));
    ASSIGN_OR_RETURN(const Operand padded, layer.Emit(pad, {x}, "padded"));
    return layer.Finish(quant::Add{}, {padded, around});
  }
  if (type == 0 && value != 0) return layer.Finish(quant::PadConstant{value, pad.before, pad.after}, {x});
  return layer.Finish(pad, {x});
}

// By offsets and sizes, by the size of a second input, or by lists of beginnings, ends and axes.
absl::Status ImportCrop(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  const size_t rank = BlobRank(x);
  quant::Slice slice = All(x.shape());
  std::vector<int64_t> lists[3];
  for (int i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(lists[i], layer.params().Ints(9 + i));
    ASSIGN_OR_RETURN(const std::string sizes, layer.params().Text(19 + i));
    if (sizes.empty()) continue;
    ASSIGN_OR_RETURN(lists[i], SizesOf(layer, sizes));
  }
  auto& [starts, ends, axes] = lists;
  if (!starts.empty()) {
    if (axes.empty()) {
      for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    }
    if (starts.size() != ends.size() || axes.size() != starts.size())
      return Malformed("its lists have other lengths");
    for (size_t i = 0; i < axes.size(); ++i) {
      ASSIGN_OR_RETURN(const int64_t axis, AxisOf(axes[i], x));
      const int64_t size = x.shape()[static_cast<size_t>(axis)];
      const int64_t begin = starts[i] == kNone ? 0 : starts[i] < 0 ? starts[i] + size : starts[i];
      const int64_t end = ends[i] == kNone ? size : ends[i] < 0 ? ends[i] + size : std::min(ends[i], size);
      if (begin < 0 || begin >= end) return Malformed("it cuts everything off");
      Narrow(slice, static_cast<size_t>(axis), size, begin, end, 1);
    }
    return layer.Finish(slice, {x});
  }
  std::optional<Operand> like;
  if (layer.num_inputs() > 1) {
    ASSIGN_OR_RETURN(like, layer.Input(1));
    if (BlobRank(*like) != rank) return Malformed("its inputs have different numbers of axes");
  }
  struct Ids {
    int offset, size, offset2;
  };
  constexpr Ids kInner[] = {{0, 3, 6}, {1, 4, 7}};
  constexpr Ids kDepth = {13, 14, 15}, kChannels = {2, 5, 8};
  for (size_t i = 0; i < rank; ++i) {  // from the innermost axis
    const Ids& ids = i < 2 ? kInner[i] : i == 2 && rank == 4 ? kDepth : kChannels;
    const size_t axis = rank - i;
    const int64_t size = x.shape()[axis];
    ASSIGN_OR_RETURN(const int64_t offset, layer.Int(ids.offset, 0));
    ASSIGN_OR_RETURN(const int64_t wanted, layer.Int(ids.size, 0));
    ASSIGN_OR_RETURN(const int64_t offset2, layer.Int(ids.offset2, 0));
    if (offset < 0 || offset2 < 0)
      return MakeError(label::model_unsupported_attribute, "offsets of a second input");
    const int64_t length = like.has_value() ? like->shape()[axis]
                           : wanted > 0     ? wanted
                                            : size - offset - offset2;
    if (length < 1 || offset > size - length) return Malformed("it cuts more off than there is");
    Narrow(slice, axis, size, offset, offset + length, 1);
  }
  return layer.Finish(slice, {x});
}

}  // namespace tally::ncnn
