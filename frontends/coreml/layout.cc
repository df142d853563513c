// Layers that move elements to other places and shapes.
#include "frontends/graph/compositions/layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/axis.h"

namespace tally::coreml {
namespace {

using quant::Shape;

// Images with their channels last as lists, which become `shape` [.., H, W, C], and channels come first
// again.
absl::StatusOr<Operand> ByChannelsLast(CoremlLayer& layer, const Operand& images, const Shape& shape) {
  ASSIGN_OR_RETURN(const Operand turned, ChannelsLast(layer, images));
  ASSIGN_OR_RETURN(const Operand shaped, layer.Emit(quant::Reshape{shape}, {turned}, "shaped"));
  return ChannelsFirst(layer, shaped);
}

}  // namespace

// To (C, H, W), or (S, C, H, W).
absl::Status ImportReshape(CoremlLayer& layer) {
  const schema::Reshape& params = layer.file().reshape();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Real(0));
  ASSIGN_OR_RETURN(Shape wanted, ListOf(params.target_shape()));
  if (wanted.size() != 3 && wanted.size() != 4) return Malformed("targetShape has neither 3 nor 4 numbers");
  if (layer.is_exact() && x.shape().size() != 5)
    return BadShape("x is " + quant::ToString(x.shape()) + ", not of rank 5");
  const bool says_sequence = wanted.size() == 4;
  if (!says_sequence) wanted.insert(wanted.begin(), x.shape()[0]);
  if (layer.is_exact()) wanted.insert(wanted.begin() + 1, says_sequence ? 1 : x.shape()[1]);
  ASSIGN_OR_RETURN(wanted, ResolveShape(wanted, x.shape(), /*allow_zero=*/true));
  if (says_sequence && !layer.is_exact()) layer.SetSequence(wanted[0]);
  if (params.mode() == schema::Reshape::CHANNEL_FIRST) return layer.FinishShape(x, std::move(wanted));
  if (params.mode() != schema::Reshape::CHANNEL_LAST)
    return UnknownValue("mode", params.mode(), "0 (channel first) and 1 (channel last)");
  ASSIGN_OR_RETURN(const Images images, layer.AsImages(x));
  const size_t at = wanted.size() - 3;
  const int64_t images_of_it = quant::NumElements(Shape(wanted.begin(), wanted.end() - 3));
  const Shape last = {images_of_it, wanted[at + 1], wanted[at + 2], wanted[at]};
  ASSIGN_OR_RETURN(const Operand y, ByChannelsLast(layer, images.x, last));
  return layer.FinishShape(y, std::move(wanted));
}

absl::Status ImportFlatten(CoremlLayer& layer) {
  const schema::Flatten& params = layer.file().flatten();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand given, layer.Real(0));
  if (given.shape().size() == 2 && !layer.is_exact()) return layer.FinishAs(given);
  ASSIGN_OR_RETURN(const Images images, layer.AsImages(given));
  Operand x = images.x;
  if (params.mode() == schema::Reshape::CHANNEL_LAST) {
    ASSIGN_OR_RETURN(x, ChannelsLast(layer, x));
  } else if (params.mode() != schema::Reshape::CHANNEL_FIRST) {
    return UnknownValue("mode", params.mode(), "0 (channel first) and 1 (channel last)");
  }
  Shape wanted = images.leading;
  wanted.push_back(quant::NumElements(x.shape()) / quant::NumElements(images.leading));
  if (layer.is_exact()) wanted.insert(wanted.end(), 2, 1);
  return layer.FinishShape(x, std::move(wanted));
}

// Axes S, C, H and W, in another order.
absl::Status ImportPermute(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(List order, ListOf(layer.file().permute().axis()));
  if (order.empty()) order = {0, 1, 2, 3};
  List sorted = order;
  std::ranges::sort(sorted);
  if (sorted != List{0, 1, 2, 3}) return Malformed("axis is not a permutation of 0, 1, 2 and 3");
  ASSIGN_OR_RETURN(const Images images, layer.ImageInput(0));
  const Shape& shape = images.x.shape();
  if (order[0] == 0) {
    return layer.FinishImages(layer.Emit(quant::Transpose{order}, {images.x}, "turned"), images.leading);
  }
  const int64_t sequence =
      layer.is_exact() ? (images.leading.size() == 2 ? images.leading[0] : 1) : layer.sequence(0);
  const Shape five = {sequence, shape[0] / sequence, shape[1], shape[2], shape[3]};
  ASSIGN_OR_RETURN(const Operand seen, layer.Emit(quant::Reshape{five}, {images.x}, "five"));
  List axes = {order[0] == 0 ? 0 : order[0] + 1, 1};
  for (size_t i = 1; i < 4; ++i) axes.push_back(order[i] == 0 ? 0 : order[i] + 1);
  ASSIGN_OR_RETURN(const Operand turned, layer.Emit(quant::Transpose{axes}, {seen}, "turned"));
  const Shape& result = turned.shape();
  if (layer.is_exact()) return layer.FinishAs(turned);
  layer.SetSequence(result[0]);
  return layer.FinishShape(turned, {result[0] * result[1], result[2], result[3], result[4]});
}

// Along channels, or along S.
absl::Status ImportConcat(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, quant::kAnyNumber));
  ASSIGN_OR_RETURN(std::vector<Operand> operands, layer.Reals());
  RETURN_IF_ERROR(layer.SameRanks(operands));
  ASSIGN_OR_RETURN(const size_t channels, layer.ChannelAxis(operands[0]));
  auto axis = static_cast<int64_t>(channels);
  if (layer.file().concat().sequence_concat()) {
    axis = layer.is_exact() ? axis - 2 : 0;
    if (axis < 0) return BadShape("x is " + quant::ToString(operands[0].shape()) + ", which has no axis S");
    int64_t length = 0;
    for (size_t i = 0; i < layer.num_inputs(); ++i) length += layer.sequence(i);
    layer.SetSequence(length);
  }
  if (operands.size() == 1) return layer.FinishAs(operands[0]);
  return layer.Finish(quant::Concat{axis}, operands);
}

namespace {

absl::Status FinishEqualParts(CoremlLayer& layer, const Operand& x, size_t axis, int64_t count) {
  if (count != static_cast<int64_t>(layer.num_outputs()) || x.shape()[axis] % count != 0)
    return BadShape(
        absl::StrCat(count, " parts of ", x.shape()[axis], " for ", layer.num_outputs(), " outputs"));
  return layer.FinishParts(x, axis, List(static_cast<size_t>(count), x.shape()[axis] / count));
}

}  // namespace

absl::Status ImportSplit(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const size_t axis, layer.ChannelAxis(x));
  ASSIGN_OR_RETURN(const int64_t count, SizeOf(layer.file().split().n_outputs()));
  return FinishEqualParts(layer, x, axis, count);
}

absl::Status ImportSplitND(CoremlLayer& layer) {
  const schema::SplitNd& params = layer.file().split_nd();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(params.axis(), x.shape().size()));
  ASSIGN_OR_RETURN(const List sizes, ListOf(params.split_sizes()));
  if (!sizes.empty()) return layer.FinishParts(x, static_cast<size_t>(axis), sizes);
  ASSIGN_OR_RETURN(const int64_t count, SizeOf(params.num_splits()));
  return FinishEqualParts(layer, x, static_cast<size_t>(axis), count);
}

absl::Status ImportSequenceRepeat(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Real(0));
  const uint64_t given = layer.file().sequence_repeat().n_repetitions();
  ASSIGN_OR_RETURN(const int64_t count, SizeOf(given == 0 ? 1 : given));
  const size_t rank = x.shape().size();
  if (layer.is_exact() && rank < 5)
    return BadShape("x is " + quant::ToString(x.shape()) + ", which has no axis S");
  List repeats(rank, 1);
  repeats[layer.is_exact() ? rank - 5 : 0] = count;
  layer.SetSequence(layer.sequence(0) * count);
  if (count == 1) return layer.FinishAs(x);
  return layer.Finish(quant::Tile{std::move(repeats)}, {x});
}

absl::Status ImportReorganizeData(CoremlLayer& layer) {
  const schema::ReorganizeData& params = layer.file().reorganize_data();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Images images, layer.ImageInput(0));
  ASSIGN_OR_RETURN(const int64_t size, SizeOf(params.block_size()));
  switch (params.mode()) {
    case schema::ReorganizeData::SPACE_TO_DEPTH:
      return layer.FinishImages(SpaceToDepth(layer, images.x, size, /*block_first=*/true), images.leading);
    case schema::ReorganizeData::DEPTH_TO_SPACE:
      return layer.FinishImages(DepthToSpace(layer, images.x, size, /*block_first=*/true), images.leading);
    case schema::ReorganizeData::PIXEL_SHUFFLE:
      return layer.FinishImages(DepthToSpace(layer, images.x, size, /*block_first=*/false), images.leading);
    default:
      return UnknownValue("mode", params.mode(),
                          "0 (space to depth), 1 (depth to space) and 2 (pixel shuffle)");
  }
}

absl::Status ImportTranspose(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(List axes, ListOf(layer.file().transpose().list()));
  return layer.Finish(quant::Transpose{std::move(axes)}, {x});
}

absl::Status ImportTile(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  List repeats;
  if (layer.num_inputs() == 2) {
    ASSIGN_OR_RETURN(repeats, layer.Listed(1));
  } else {
    ASSIGN_OR_RETURN(repeats, ListOf(layer.file().tile().reps()));
  }
  return layer.FinishAs(Tiled(layer, x, std::move(repeats)));
}

namespace {

// Inputs that become one: reals, unless all are integers.
absl::StatusOr<std::vector<Operand>> ReadAlike(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, quant::kAnyNumber));
  ASSIGN_OR_RETURN(const std::vector<Operand> operands, layer.Inputs());
  if (std::ranges::all_of(operands, [](const Operand& o) { return o.is_integer(); })) return operands;
  // A shape that is put together has constants in it.
  std::vector<Operand> integers;
  for (const Operand& operand : operands) {
    const auto known = operand.is_integer() ? std::nullopt : IntegersOf(operand);
    if (!operand.is_integer() && !known.has_value()) return layer.Reals();
    if (operand.is_integer()) {
      integers.push_back(operand);
    } else {
      ASSIGN_OR_RETURN(integers.emplace_back(), layer.NewConstant(*known, "integers"));
    }
  }
  const bool has_integers = std::ranges::any_of(operands, [](const Operand& o) { return o.is_integer(); });
  return has_integers ? integers : operands;
}

}  // namespace

absl::Status ImportStack(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(std::vector<Operand> operands, ReadAlike(layer));
  ASSIGN_OR_RETURN(const int64_t axis,
                   NormalizeAxis(layer.file().stack().axis(), operands[0].shape().size() + 1));
  for (Operand& operand : operands) {
    ASSIGN_OR_RETURN(Shape raised, Unsqueezed(operand.shape(), {axis}));
    ASSIGN_OR_RETURN(operand, layer.Emit(quant::Reshape{std::move(raised)}, {operand}, "raised"));
  }
  if (operands.size() == 1) return layer.FinishAs(operands[0]);
  return layer.Finish(quant::Concat{axis}, operands);
}

// Parts after each other, or element by element in turn.
absl::Status ImportConcatND(CoremlLayer& layer) {
  const schema::ConcatNd& params = layer.file().concat_nd();
  ASSIGN_OR_RETURN(std::vector<Operand> operands, ReadAlike(layer));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(params.axis(), operands[0].shape().size()));
  if (operands.size() == 1) return layer.FinishAs(operands[0]);
  if (!params.interleave()) return layer.Finish(quant::Concat{axis}, operands);
  Shape result = operands[0].shape();
  result[static_cast<size_t>(axis)] *= std::ssize(operands);
  for (Operand& operand : operands) {
    ASSIGN_OR_RETURN(Shape raised, Unsqueezed(operand.shape(), {axis + 1}));
    ASSIGN_OR_RETURN(operand, layer.Emit(quant::Reshape{std::move(raised)}, {operand}, "raised"));
  }
  ASSIGN_OR_RETURN(const Operand in_turn, layer.Emit(quant::Concat{axis + 1}, operands, "in_turn"));
  return layer.FinishShape(in_turn, std::move(result));
}

absl::Status ImportSqueeze(CoremlLayer& layer) {
  const schema::Squeeze& params = layer.file().squeeze();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const List axes, ListOf(params.axes()));
  ASSIGN_OR_RETURN(Shape shape,
                   Squeezed(x.shape(), params.squeeze_all() ? std::nullopt : std::optional(axes)));
  if (shape.empty()) shape = {1};  // Core ML has no scalars
  return layer.FinishShape(x, std::move(shape));
}

absl::Status ImportExpandDims(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const List axes, ListOf(layer.file().expand_dims().list()));
  ASSIGN_OR_RETURN(Shape shape, Unsqueezed(x.shape(), axes));
  return layer.FinishShape(x, std::move(shape));
}

absl::Status ImportFlattenTo2D(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const int64_t axis,
                   NormalizeAxis(layer.file().flatten_to_2d().axis(), x.shape().size() + 1));
  return layer.FinishShape(x, Flattened(x.shape(), axis));
}

namespace {

absl::Status FinishReshaped(CoremlLayer& layer, const List& wanted, bool allow_zero) {
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(Shape shape, ResolveShape(wanted, x.shape(), allow_zero));
  return layer.FinishShape(x, std::move(shape));
}

absl::Status FinishBroadcast(CoremlLayer& layer, const Shape& wanted) {
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  RETURN_IF_ERROR(quant::CheckShape(wanted));
  ASSIGN_OR_RETURN(Shape shape, quant::Broadcast(x.shape(), wanted));
  if (shape != wanted)
    return BadShape(quant::ToString(x.shape()) + " does not broadcast to " + quant::ToString(wanted));
  if (shape == x.shape()) return layer.FinishAs(x);
  return layer.Finish(quant::Expand{std::move(shape)}, {x});
}

}  // namespace

absl::Status ImportReshapeLike(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand like, layer.Input(1));
  return FinishReshaped(layer, like.shape(), true);
}
absl::Status ImportReshapeStatic(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const List wanted, ListOf(layer.file().reshape_static().list()));
  return FinishReshaped(layer, wanted, true);
}
absl::Status ImportReshapeDynamic(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const List wanted, layer.Listed(1));
  return FinishReshaped(layer, wanted, true);
}
absl::Status ImportRankPreservingReshape(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const List wanted, ListOf(layer.file().rank_preserving_reshape().list()));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  if (wanted.size() != x.shape().size()) return BadShape("targetShape has another rank than x");
  return FinishReshaped(layer, wanted, false);
}
absl::Status ImportBroadcastToLike(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand like, layer.Input(1));
  return FinishBroadcast(layer, like.shape());
}
absl::Status ImportBroadcastToStatic(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const List wanted, ListOf(layer.file().broadcast_to_static().list()));
  return FinishBroadcast(layer, wanted);
}
absl::Status ImportBroadcastToDynamic(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const List wanted, layer.Listed(1));
  return FinishBroadcast(layer, wanted);
}

}  // namespace tally::coreml
