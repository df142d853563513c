// Operators whose results are moves by strides.
#include "ops/cuda/prepare_move.h"
#include "ops/layout/attrs.h"
#include "ops/layout/cuda/kernel_tables.h"
#include "ops/layout/cuda/layout_device.h"
#include "ops/layout/permutation_shape.h"
#include "ops/layout/slice_shape.h"

namespace tally::cuda {
namespace {

using Strides = StridesByAxis;

// Every element of the result, from x[first] on by strides along its axes.
Work MoveOfResult(const KernelFacts& facts, const Strides& x_strides, int64_t first) {
  const Shape& y = facts.results[0].shape;
  Folded f(y, facts.layout);
  f.AddStrided(StridesOf(y, facts.layout));
  f.AddStrided(x_strides);
  Work work;
  AddMove(work, facts, f, 0, first, 0);
  return work;
}

int64_t AxisOf(int64_t axis, const Shape& shape) { return axis < 0 ? axis + shape.rank() : axis; }

std::optional<Work> PrepareTranspose(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  const Index permutation = Permutation(facts.attrs<TransposeAttrs>(), x.rank());
  const Strides own = StridesOf(x, facts.layout);
  Strides strides = {};
  for (int i = 0; i < x.rank(); ++i) strides[i] = own[permutation[i]];
  return MoveOfResult(facts, strides, 0);
}

std::optional<Work> PrepareStridedSlice(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  const auto attrs = facts.attrs<StridedSliceAttrs>();
  Strides strides = StridesOf(x, facts.layout);
  int64_t first = 0;
  for (int i = 0; i < x.rank(); ++i) {
    const AxisSlice slice = SliceOfAxis(attrs, i, x[i]);
    first += slice.begin * strides[i];
    strides[i] *= slice.stride;
  }
  return MoveOfResult(facts, strides, first);
}

std::optional<Work> PrepareSliceLike(const KernelFacts& facts) {
  return MoveOfResult(facts, StridesOf(facts.operands[0].shape, facts.layout), 0);
}

std::optional<Work> PrepareBroadcastTo(const KernelFacts& facts) {
  const Shape& y = facts.results[0].shape;
  Folded f(y, facts.layout);
  f.AddStrided(StridesOf(y, facts.layout));
  f.AddBroadcast(facts.operands[0].shape, facts.layout);
  Work work;
  AddMove(work, facts, f, 0, 0, 0);
  return work;
}

std::optional<Work> PrepareRepeat(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  const auto attrs = facts.attrs<RepeatAttrs>();
  Strides dims = OnesByAxis(), repeats = OnesByAxis();
  for (int i = 0; i < x.rank(); ++i) dims[i] = x[i];
  repeats[AxisOf(attrs.axis, x)] = attrs.repeats;
  return RepeatedMove(facts, dims, StridesOf(x, facts.layout), OnesByAxis(), repeats);
}

// The operand may have fewer axes than the result: those it lacks have one element.
std::optional<Work> PrepareTile(const KernelFacts& facts) {
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  const Strides own = StridesOf(x, facts.layout);
  Strides dims = OnesByAxis(), strides = {}, tiles = OnesByAxis();
  const int missing = y.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i) {
    dims[missing + i] = x[i];
    strides[missing + i] = own[i];
  }
  for (int i = 0; i < y.rank(); ++i) tiles[i] = y[i] / dims[i];
  return RepeatedMove(facts, dims, strides, tiles, OnesByAxis());
}

std::optional<Work> PrepareConcatenate(const KernelFacts& facts) {
  const Shape& y = facts.results[0].shape;
  const Strides y_strides = StridesOf(y, facts.layout);
  const int64_t axis = AxisOf(facts.attrs<ConcatenateAttrs>().axis, y);
  Work work;
  int64_t start = 0;
  for (size_t k = 0; k < facts.operands.size(); ++k) {
    const Shape& x = facts.operands[k].shape;
    Folded f(x, facts.layout);
    f.AddStrided(y_strides);
    f.AddStrided(StridesOf(x, facts.layout));
    AddMove(work, facts, f, static_cast<int>(k), 0, start * y_strides[axis]);
    start += x[static_cast<int>(axis)];
  }
  return work;
}

constexpr KernelEntry kMovementKernels[] = {
    {Opcode::kTranspose, "transpose", Arch::kSm80, Layouts::kEvery, PrepareTranspose},
    {Opcode::kConcatenate, "concatenate", Arch::kSm80, Layouts::kEvery, PrepareConcatenate},
    {Opcode::kRepeat, "repeat", Arch::kSm80, Layouts::kEvery, PrepareRepeat},
    {Opcode::kTile, "tile", Arch::kSm80, Layouts::kEvery, PrepareTile},
    {Opcode::kStridedSlice, "strided_slice", Arch::kSm80, Layouts::kEvery, PrepareStridedSlice},
    {Opcode::kSliceLike, "slice_like", Arch::kSm80, Layouts::kEvery, PrepareSliceLike},
    {Opcode::kBroadcastTo, "broadcast_to", Arch::kSm80, Layouts::kEvery, PrepareBroadcastTo},
};

}  // namespace

KernelTable MovementKernels() { return kMovementKernels; }

}  // namespace tally::cuda
