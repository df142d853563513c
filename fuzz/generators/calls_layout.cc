#include <algorithm>
#include <numeric>
#include <utility>

#include "fuzz/generators/call_generators.h"
#include "ops/layout/attrs.h"

namespace tally {
namespace {

// The same elements: the dims in another order, two of them merged, or a 1 added.
Attempt DrawReshape(CallContext& c) {
  const DraftId x = c.Operand({});
  std::vector<int64_t> dims = DimList(c.shape(x));
  if (dims.size() > 1 && c.e.OneIn(2)) {
    const int64_t last = dims.back();
    dims.pop_back();
    dims.back() *= last;
  }
  if (dims.size() > 1 && c.e.OneIn(2)) std::swap(dims.front(), dims.back());
  if (c.e.OneIn(3)) dims.insert(dims.begin() + c.e.Between(0, dims.size()), 1);
  return {{x}, Pack(ReshapeAttrs{dims})};
}

Attempt DrawSqueeze(CallContext& c) {
  SqueezeAttrs attrs;
  const DraftId x = c.Operand({.min_rank = 1});
  const Shape& shape = c.shape(x);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1 && c.e.OneIn(2)) attrs.axis.push_back(c.e.OneIn(2) ? axis - shape.rank() : axis);
  }
  return {{x}, Pack(attrs)};
}

Attempt DrawTranspose(CallContext& c) {
  TransposeAttrs attrs;
  const DraftId x = c.Operand({.min_rank = 2, .max_rank = 5});
  const int rank = c.shape(x).rank();
  if (!c.e.OneIn(4)) {
    attrs.axes.resize(rank);
    std::iota(attrs.axes.begin(), attrs.axes.end(), 0);
    for (int i = 0; i < rank; ++i) std::swap(attrs.axes[i], attrs.axes[c.e.Between(0, i)]);
    if (rank > 0 && c.e.OneIn(3)) attrs.axes[0] -= rank;
  }
  return {{x}, Pack(attrs)};
}

Attempt DrawConcatenate(CallContext& c) {
  const DraftId first = c.Operand({.min_rank = 1});
  const int rank = c.shape(first).rank();
  const int64_t axis = c.Axis(rank);
  Attempt attempt = {{first}, Pack(ConcatenateAttrs{.axis = axis})};
  for (int64_t i = c.e.Between(0, 3); i > 0; --i) {
    std::vector<int64_t> dims = DimList(c.shape(first));
    if (c.e.OneIn(2)) dims[axis < 0 ? axis + rank : axis] = c.e.Between(1, 4);
    attempt.operands.push_back(c.Operand({.shape = ShapeOf(dims)}));
  }
  return attempt;
}

Attempt DrawRepeat(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 1});
  return {{x}, Pack(RepeatAttrs{.repeats = c.e.Between(1, 4), .axis = c.Axis(c.shape(x).rank())})};
}

Attempt DrawTile(CallContext& c) {
  TileAttrs attrs;
  const DraftId x = c.Operand({});
  attrs.reps.resize(c.e.Between(1, c.shape(x).rank() + 1));
  for (int64_t& rep : attrs.reps) rep = c.e.Between(1, 3);
  return {{x}, Pack(attrs)};
}

// Begins, ends and strides of either sign, some beyond the dims, which are clamped.
Attempt DrawStridedSlice(CallContext& c) {
  StridedSliceAttrs attrs;
  const DraftId x = c.Operand({.min_rank = 1});
  const int rank = c.shape(x).rank();
  const int64_t begins = c.e.Between(0, rank), ends = c.e.Between(0, rank), strides = c.e.Between(0, rank);
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t dim = c.shape(x)[axis];
    const bool backward = axis < strides && c.e.OneIn(3);
    int64_t first = c.e.Between(0, dim - 1), last = c.e.Between(first, dim + 1);
    if (backward) std::swap(first, last);
    if (axis < begins) attrs.begin.push_back(c.e.OneIn(4) ? first - dim : first);
    if (axis < ends) attrs.end.push_back(c.e.OneIn(4) ? last - dim : last);
    if (axis < strides) attrs.stride.push_back((backward ? -1 : 1) * c.e.Between(1, 3));
  }
  return {{x}, Pack(attrs)};
}

Attempt DrawSliceLike(CallContext& c) {
  SliceLikeAttrs attrs;
  const DraftId x = c.Operand({.min_rank = 1});
  std::vector<int64_t> dims = DimList(c.shape(x));
  for (int64_t& dim : dims) {
    if (c.e.OneIn(2)) dim = c.e.Between(1, dim);
  }
  if (c.e.OneIn(2)) attrs.axis = c.Axes(c.shape(x).rank());
  return {{x, c.Operand({.shape = ShapeOf(dims)})}, Pack(attrs)};
}

Attempt DrawPad(CallContext& c) {
  PadAttrs attrs;
  const DraftId x = c.Operand({});
  for (int axis = 0; axis < c.shape(x).rank(); ++axis) {
    attrs.before.push_back(c.e.OneIn(2) ? c.e.Between(0, 3) : 0);
    attrs.after.push_back(c.e.OneIn(2) ? c.e.Between(0, 3) : 0);
  }
  attrs.mode =
      c.e.Pick({PadMode::kConstant, PadMode::kEdge, PadMode::kReflect, PadMode::kSymmetric, PadMode::kWrap});
  if (attrs.mode == PadMode::kConstant) attrs.value = c.e.Between(-3, 3);
  return {{x}, Pack(attrs)};
}

std::vector<int64_t> SmallDims(CallContext& c, int64_t min_rank) {
  std::vector<int64_t> dims(c.e.Between(min_rank, 3));
  for (int64_t& dim : dims) dim = c.e.Between(1, 5);
  return dims;
}

Attempt DrawBroadcastTo(CallContext& c) {
  const DraftId x = c.Operand({});
  std::vector<int64_t> dims = DimList(c.shape(x));
  for (int64_t& dim : dims) {
    if (dim == 1) dim = c.e.Between(1, 4);
  }
  if (c.e.OneIn(2)) dims.insert(dims.begin(), c.e.Between(1, 4));
  return {{x}, Pack(BroadcastToAttrs{dims})};
}

Attempt DrawReverseSequence(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 2});
  const int rank = c.shape(x).rank();
  const ReverseSequenceAttrs attrs = {.batch_axis = c.Axis(rank), .seq_axis = c.Axis(rank)};
  const DraftId lengths =
      c.Operand({.shape = ShapeOf({DimAt(c.shape(x), attrs.batch_axis)}), .within = {-1, 9}});
  return {{x, lengths}, Pack(attrs)};
}

Attempt DrawIota(CallContext& c) {
  IotaAttrs attrs = {.shape = SmallDims(c, 1), .start = c.e.Between(-300, 300), .step = c.e.Between(-9, 9)};
  attrs.axis = c.Axis(static_cast<int>(attrs.shape.size()));
  return {{}, Pack(attrs)};
}

Attempt DrawFill(CallContext& c) {
  return {{}, Pack(FillAttrs{.shape = SmallDims(c, 0), .value = c.e.Between(-200, 200)})};
}

}  // namespace

CallGenerator FindLayoutCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kReshape: return DrawReshape;
    case Opcode::kSqueeze: return DrawSqueeze;
    case Opcode::kTranspose: return DrawTranspose;
    case Opcode::kConcatenate: return DrawConcatenate;
    case Opcode::kRepeat: return DrawRepeat;
    case Opcode::kTile: return DrawTile;
    case Opcode::kStridedSlice: return DrawStridedSlice;
    case Opcode::kSliceLike: return DrawSliceLike;
    case Opcode::kPad: return DrawPad;
    case Opcode::kBroadcastTo: return DrawBroadcastTo;
    case Opcode::kReverseSequence: return DrawReverseSequence;
    case Opcode::kIota: return DrawIota;
    case Opcode::kFill: return DrawFill;
    default: return nullptr;
  }
}

}  // namespace tally
