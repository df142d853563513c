#include "fuzz/generators/places.h"

#include <algorithm>
#include <numeric>

#include "fuzz/generators/call_generator.h"
#include "fuzz/generators/values.h"
#include "ops/elementwise/attrs.h"
#include "ops/layout/attrs.h"

namespace tally {
namespace {

// Elements of a cache line.
int64_t LineOf(const TensorType& type) { return 64 / SizeBytes(type.storage()); }

// Appends an instruction of one result. False where it is refused.
template <typename Attrs>
bool Append(ModuleDraft& draft, Opcode op, const std::vector<DraftId>& operands, const Attrs& attrs) {
  return draft.TryEmit(op, operands, Pack(attrs));
}

bool AppendReshape(ModuleDraft& draft, DraftId x, const Shape& shape) {
  return Append(draft, Opcode::kReshape, {x},
                ReshapeAttrs{.shape = {shape.dims().begin(), shape.dims().end()}});
}

// Elements [begin, begin + length) of the first axis.
bool AppendRows(ModuleDraft& draft, DraftId x, int64_t begin, int64_t length) {
  const Shape shape = draft.type(x).shape;
  StridedSliceAttrs attrs = {.begin = std::vector<int64_t>(shape.rank()),
                             .stride = std::vector<int64_t>(shape.rank(), 1)};
  attrs.end.assign(shape.dims().begin(), shape.dims().end());
  attrs.begin[0] = begin;
  attrs.end[0] = begin + length;
  return Append(draft, Opcode::kStridedSlice, {x}, attrs);
}

// The same elements, computed by a step.
bool AppendClip(ModuleDraft& draft, DraftId x) {
  const Interval interval = draft.type(x).interval;
  return Append(draft, Opcode::kClip, {x}, ClipAttrs{.a_min = interval.lo, .a_max = interval.hi});
}

// The fewest rows of the first axis that end on a cache line.
int64_t RowsOnLines(const TensorType& type) {
  const int64_t line = LineOf(type);
  return line / std::gcd(line, type.shape.num_elements() / type.shape[0]);
}

// `shape` with another number of rows.
Shape WithRows(const Shape& shape, int64_t rows) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims[0] = rows;
  return ShapeOf(dims);
}

// A part of a parameter: of a list, whose part is then reshaped.
bool AppendPart(EntropySource& e, ModuleDraft& draft, const TensorType& type) {
  const int64_t count = type.shape.num_elements(), line = LineOf(type);
  const int64_t begin = line * e.Between(0, 1), behind = begin == 0 ? e.Between(1, line) : e.Between(0, 1);
  const DraftId list = draft.AddParam({ShapeOf({begin + count + behind}), type.interval});
  if (!AppendRows(draft, list, begin, count)) return false;
  return type.shape.rank() == 1 || AppendReshape(draft, draft.size() - 1, type.shape);
}

bool AppendOtherShape(EntropySource& e, ModuleDraft& draft, const TensorType& type) {
  const int64_t count = type.shape.num_elements(), half = count % 2 == 0 && e.OneIn(2) ? 2 : 1;
  const DraftId x = draft.AddParam({half == 2 ? ShapeOf({2, count / 2}) : ShapeOf({count}), type.interval});
  return AppendReshape(draft, x, type.shape);
}

bool AppendComputed(EntropySource&, ModuleDraft& draft, const TensorType& type) {
  return AppendClip(draft, draft.AddParam(type));
}

// An image with its channels side by side: as it arrives, or as a step has computed it, and of more images a
// part.
bool AppendImage(EntropySource& e, ModuleDraft& draft, const TensorType& type) {
  const int rank = type.shape.rank();
  if (rank < 3 || rank > 5) return AppendComputed(e, draft, type);
  const bool is_part = e.OneIn(3);
  const int64_t before = is_part ? RowsOnLines(type) : 0;
  std::vector<int64_t> dims = {type.shape[0] + before};
  for (int axis = 2; axis < rank; ++axis) dims.push_back(type.shape[axis]);
  dims.push_back(type.shape[1]);
  std::vector<int64_t> axes = {0, rank - 1};
  for (int axis = 1; axis < rank - 1; ++axis) axes.push_back(axis);
  const DraftId x = draft.AddParam({ShapeOf(dims), type.interval});
  if (!Append(draft, Opcode::kTranspose, {x}, TransposeAttrs{axes})) return false;
  if (!e.OneIn(3) && !AppendClip(draft, draft.size() - 1)) return false;
  return !is_part || AppendRows(draft, draft.size() - 1, before, type.shape[0]);
}

// Behind other rows, which end on a cache line; of a list, or of the outermost axis.
bool AppendBehind(EntropySource& e, ModuleDraft& draft, DraftId y) {
  const TensorType type = draft.type(y);
  if (!draft.accepts_params()) return false;
  if (type.shape.rank() == 0 || e.OneIn(4)) {
    if (!AppendReshape(draft, y, ShapeOf({type.shape.num_elements()}))) return false;
    y = draft.size() - 1;
  }
  const TensorType& rows = draft.type(y);
  const DraftId first = draft.AddParam({WithRows(rows.shape, RowsOnLines(rows)), rows.interval});
  return Append(draft, Opcode::kConcatenate, {first, y}, ConcatenateAttrs{.axis = 0});
}

// The channels of an image to its end: nothing moves where they are there.
bool AppendChannelsLast(ModuleDraft& draft, DraftId y) {
  const int rank = draft.type(y).shape.rank();
  if (rank < 3 || rank > 5) return false;
  std::vector<int64_t> axes = {0};
  for (int axis = 2; axis < rank; ++axis) axes.push_back(axis);
  axes.push_back(1);
  return Append(draft, Opcode::kTranspose, {y}, TransposeAttrs{axes});
}

// A part of a constant that a step in front of it reads with channels side by side.
bool AppendConstantImage(EntropySource& e, ModuleDraft& draft, const TensorType& type) {
  const int rank = type.shape.rank();
  if (rank < 3 || rank > 5) return AppendPart(e, draft, type);
  const int64_t before = RowsOnLines({type.shape, RangeOf(Storage::kI8)});
  const TensorType whole = {WithRows(type.shape, before + type.shape[0]), type.interval};
  const DraftId constant = draft.AddConstant(RandomTensor(e, whole));
  if (!AppendImage(e, draft, whole)) return false;
  if (!Append(draft, Opcode::kBroadcastMax, {draft.size() - 1, constant}, NoAttrs())) return false;
  return AppendRows(draft, constant, before, type.shape[0]);
}

}  // namespace

DraftId AddInput(EntropySource& e, ModuleDraft& draft, const TensorType& type, Inputs inputs) {
  if (e.OneIn(4) != (inputs != Inputs::kAny)) {
    const ModuleDraft::Mark before = draft.mark();
    auto append = e.Pick({AppendPart, AppendOtherShape, AppendImage, AppendComputed});
    if (inputs == Inputs::kImages && !e.OneIn(4)) append = e.OneIn(4) ? AppendConstantImage : AppendImage;
    if (inputs == Inputs::kSteps) append = AppendComputed;
    if (append(e, draft, type)) return draft.size() - 1;
    draft.Rollback(before);
  }
  return draft.AddParam(type);
}

void Place(EntropySource& e, ModuleDraft& draft, DraftId y) {
  const ModuleDraft::Mark before = draft.mark();
  if (e.OneIn(2) ? !AppendChannelsLast(draft, y) : !AppendBehind(e, draft, y)) draft.Rollback(before);
}

}  // namespace tally
