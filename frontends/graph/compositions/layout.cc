#include "frontends/graph/compositions/layout.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

using quant::Shape;

namespace {

// An index counted from the back where negative, which cannot overflow.
int64_t FromFront(int64_t index, int64_t size) {
  return index < 0 ? std::max(index, -size - 1) + size : index;
}

// The axes of a shape of `rank`, as flags. Errors: model_malformed.
absl::StatusOr<std::vector<bool>> MarkAxes(const std::vector<int64_t>& axes, size_t rank) {
  std::vector<bool> marked(rank, false);
  for (const int64_t wanted : axes) {
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, rank));
    if (marked[axis])
      return MakeError(label::model_malformed, "axis " + std::to_string(axis) + " occurs twice");
    marked[axis] = true;
  }
  return marked;
}

absl::Status CheckBlocks(const Operand& x, int64_t size) {
  constexpr int64_t kMost = 1 << 15;
  if (size < 1 || size > kMost) {
    return MakeError(label::model_malformed, "the size of a block is " + std::to_string(size));
  }
  if (x.shape().size() == 4) return absl::OkStatus();
  return MakeError(label::model_shape, "x is " + quant::ToString(x.shape()) + ", not [N, C, H, W]");
}

// The elements of x, seen as `split`, with the axes in `order`, seen as `shape`.
absl::StatusOr<Operand> Rearrange(Emitter& emitter, const Operand& x, const Shape& split,
                                  const std::vector<int64_t>& order, const Shape& shape) {
  ASSIGN_OR_RETURN(const Operand blocks, emitter.Emit(quant::Reshape{split}, {x}, "blocks"));
  ASSIGN_OR_RETURN(const Operand moved, emitter.Emit(quant::Transpose{order}, {blocks}, "moved"));
  return emitter.Emit(quant::Reshape{shape}, {moved}, "joined");
}

}  // namespace

quant::Slice All(const Shape& shape) {
  return {.begin = Shape(shape.size(), 0), .end = shape, .step = Shape(shape.size(), 1)};
}

int64_t Narrow(quant::Slice& slice, size_t axis, int64_t size, int64_t begin, int64_t end, int64_t step) {
  const bool forward = step > 0;
  step = std::clamp(step, -size, size);  // a longer one reads the first element alone, too
  begin = std::clamp<int64_t>(FromFront(begin, size), 0, forward ? size : size - 1);
  end = std::clamp<int64_t>(FromFront(end, size), forward ? 0 : -1, forward ? size : size - 1);
  slice.begin[axis] = begin;
  slice.end[axis] = end;
  slice.step[axis] = step;
  return std::max<int64_t>(forward ? CeilDiv(end - begin, step) : CeilDiv(begin - end, -step), 0);
}

absl::StatusOr<Operand> Part(Emitter& emitter, const Operand& x, size_t axis, int64_t begin, int64_t end,
                             std::string_view step) {
  quant::Slice slice = All(x.shape());
  slice.begin[axis] = begin;
  slice.end[axis] = end;
  return emitter.Emit(std::move(slice), {x}, step);
}

absl::StatusOr<Shape> ResolveShape(const std::vector<int64_t>& wanted, const Shape& x, bool allow_zero) {
  if (wanted.size() > quant::kMaxRank)
    return MakeError(label::model_shape, "the rank asked for is too large");
  Shape shape = wanted;
  std::optional<size_t> open;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (open.has_value()) return MakeError(label::model_malformed, "two dimensions are -1");
      open = i;
      shape[i] = 1;
    } else if (shape[i] == 0 && !allow_zero) {
      if (i >= x.size())
        return MakeError(label::model_malformed, "a dimension of 0 copies one that x does not have");
      shape[i] = x[i];
    }
  }
  RETURN_IF_ERROR(quant::CheckShape(shape));
  if (open.has_value()) {
    const int64_t known = quant::NumElements(shape);
    if (quant::NumElements(x) % known != 0) {
      return MakeError(label::model_shape, quant::ToString(x) + " does not fill " + quant::ToString(wanted));
    }
    shape[*open] = quant::NumElements(x) / known;
  }
  return shape;
}

absl::StatusOr<Shape> Squeezed(const Shape& x, const std::optional<std::vector<int64_t>>& axes) {
  std::vector<bool> removed(x.size(), false);
  if (axes.has_value()) {
    ASSIGN_OR_RETURN(removed, MarkAxes(*axes, x.size()));
  } else {
    for (size_t i = 0; i < x.size(); ++i) removed[i] = x[i] == 1;
  }
  Shape shape;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!removed[i]) shape.push_back(x[i]);
    if (removed[i] && x[i] != 1) {
      return MakeError(label::model_shape,
                       "axis " + std::to_string(i) + " of " + quant::ToString(x) + " is not 1");
    }
  }
  return shape;
}

absl::StatusOr<Shape> Unsqueezed(const Shape& x, const std::vector<int64_t>& axes) {
  if (axes.size() > quant::kMaxRank) return MakeError(label::model_malformed, "there are too many axes");
  ASSIGN_OR_RETURN(const std::vector<bool> inserted, MarkAxes(axes, x.size() + axes.size()));
  Shape shape;
  size_t next = 0;
  for (const bool is_inserted : inserted) shape.push_back(is_inserted ? 1 : x[next++]);
  return shape;
}

Shape Flattened(const Shape& x, int64_t axis) {
  const int64_t rows = quant::NumElements(Shape(x.begin(), x.begin() + axis));
  return {rows, quant::NumElements(x) / rows};
}

absl::StatusOr<Operand> Tiled(Emitter& emitter, const Operand& x, std::vector<int64_t> repeats) {
  if (repeats.size() > quant::kMaxRank)
    return MakeError(label::model_malformed, "there are more repeats than a value has axes");
  Shape shape = x.shape();
  if (shape.size() < repeats.size()) shape.insert(shape.begin(), repeats.size() - shape.size(), 1);
  if (repeats.size() < shape.size()) repeats.insert(repeats.begin(), shape.size() - repeats.size(), 1);
  Operand raised = x;
  if (shape != x.shape()) {
    ASSIGN_OR_RETURN(raised, emitter.Emit(quant::Reshape{std::move(shape)}, {x}, "raised"));
  }
  if (std::ranges::all_of(repeats, [](int64_t count) { return count == 1; })) return raised;
  return emitter.Emit(quant::Tile{std::move(repeats)}, {raised}, "tiled");
}

absl::StatusOr<Operand> ChannelsFirst(Emitter& emitter, const Operand& x, std::string_view step) {
  const int64_t rank = static_cast<int64_t>(x.shape().size());
  if (rank < 3) return x;
  std::vector<int64_t> order = {0, rank - 1};
  for (int64_t axis = 1; axis < rank - 1; ++axis) order.push_back(axis);
  return emitter.Emit(quant::Transpose{std::move(order)}, {x}, step);
}

absl::StatusOr<Operand> ChannelsLast(Emitter& emitter, const Operand& x, std::string_view step) {
  const int64_t rank = static_cast<int64_t>(x.shape().size());
  if (rank < 3) return x;
  std::vector<int64_t> order = {0};
  for (int64_t axis = 2; axis < rank; ++axis) order.push_back(axis);
  order.push_back(1);
  return emitter.Emit(quant::Transpose{std::move(order)}, {x}, step);
}

absl::StatusOr<Operand> Shuffled(Emitter& emitter, const Operand& x, size_t axis, int64_t groups) {
  Shape split = x.shape();
  if (groups < 1 || split[axis] % groups != 0)
    return MakeError(label::model_malformed, "its groups do not divide the channels");
  const auto place = static_cast<int64_t>(axis);
  split[axis] /= groups;
  split.insert(split.begin() + place, groups);
  std::vector<int64_t> order(split.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[axis], order[axis + 1]);
  return Rearrange(emitter, x, split, order, x.shape());
}

absl::StatusOr<Operand> DepthToSpace(Emitter& emitter, const Operand& x, int64_t size, bool block_first) {
  RETURN_IF_ERROR(CheckBlocks(x, size));
  const int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2], w = x.shape()[3];
  if (c % (size * size) != 0) {
    return MakeError(label::model_shape, "the channels of " + quant::ToString(x.shape()) +
                                             " are not a multiple of " + std::to_string(size * size));
  }
  const int64_t depth = c / (size * size);
  const Shape split = block_first ? Shape{n, size, size, depth, h, w} : Shape{n, depth, size, size, h, w};
  const std::vector<int64_t> order =
      block_first ? std::vector<int64_t>{0, 3, 4, 1, 5, 2} : std::vector<int64_t>{0, 1, 4, 2, 5, 3};
  return Rearrange(emitter, x, split, order, {n, depth, h * size, w * size});
}

absl::StatusOr<Operand> SpaceToDepth(Emitter& emitter, const Operand& x, int64_t size, bool block_first) {
  RETURN_IF_ERROR(CheckBlocks(x, size));
  const int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2], w = x.shape()[3];
  if (h % size != 0 || w % size != 0) {
    return MakeError(label::model_shape,
                     quant::ToString(x.shape()) + " has no whole blocks of " + std::to_string(size));
  }
  const std::vector<int64_t> order =
      block_first ? std::vector<int64_t>{0, 3, 5, 1, 2, 4} : std::vector<int64_t>{0, 1, 3, 5, 2, 4};
  return Rearrange(emitter, x, {n, c, h / size, size, w / size, size}, order,
                   {n, size * size * c, h / size, w / size});
}

}  // namespace tally::frontend
