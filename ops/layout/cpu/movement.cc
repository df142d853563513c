#include "ops/cpu/kernel_attrs.h"
#include "ops/cpu/strided_copy.h"
#include "ops/layout/attrs.h"
#include "ops/layout/cpu/kernels.h"
#include "ops/layout/permutation_shape.h"
#include "ops/layout/slice_shape.h"

namespace tally {
namespace {

using Strides = std::array<int64_t, kMaxRank>;

// Every element of the result, from x[offset] on by strides along its axes.
template <Isa isa>
void CopyResult(const KernelCall& call, Layout layout, const Strides& x_strides, int64_t offset) {
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  Folded f(y.type->shape, layout);
  f.AddStrided(StridesOf(y.type->shape, layout));
  f.AddStrided(x_strides);
  f.Fold();
  StridedCopy<isa>(call, f, {x.storage, x.bytes + offset * SizeBytes(x.storage)}, {y.storage, y.bytes});
}

struct SliceLists {
  std::span<const int64_t> begin, end, stride;
};

}  // namespace

bool AcceptsMovement(const KernelFacts& facts) { return ConstantsAgree(facts); }
bool AcceptsAlways(const KernelFacts&) { return true; }

template <Isa isa, Layout layout>
void TransposeKernel(const KernelCall& call) noexcept {
  const Shape& x = call.operands[0].type->shape;
  const Index permutation = PermutationOf(AttrList<TransposeAttrs>(call, &TransposeAttrs::axes), x.rank());
  const Strides own = StridesOf(x, layout);
  Strides strides = {};
  for (int i = 0; i < x.rank(); ++i) strides[i] = own[permutation[i]];
  CopyResult<isa>(call, layout, strides, 0);
}

template <Isa isa, Layout layout>
void StridedSliceKernel(const KernelCall& call) noexcept {
  const Shape& x = call.operands[0].type->shape;
  const SliceLists lists = {AttrList<StridedSliceAttrs>(call, &StridedSliceAttrs::begin),
                            AttrList<StridedSliceAttrs>(call, &StridedSliceAttrs::end),
                            AttrList<StridedSliceAttrs>(call, &StridedSliceAttrs::stride)};
  Strides strides = StridesOf(x, layout);
  int64_t offset = 0;
  for (int i = 0; i < x.rank(); ++i) {
    const AxisSlice slice = SliceOfAxis(lists, i, x[i]);
    offset += slice.begin * strides[i];
    strides[i] *= slice.stride;
  }
  CopyResult<isa>(call, layout, strides, offset);
}

template <Isa isa, Layout layout>
void SliceLikeKernel(const KernelCall& call) noexcept {
  CopyResult<isa>(call, layout, StridesOf(call.operands[0].type->shape, layout), 0);
}

template <Isa isa, Layout layout>
void BroadcastToKernel(const KernelCall& call) noexcept {
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  Folded f(y.type->shape, layout);
  f.AddStrided(StridesOf(y.type->shape, layout));
  f.AddBroadcast(x.type->shape, layout);
  f.Fold();
  StridedCopy<isa>(call, f, {x.storage, x.bytes}, {y.storage, y.bytes});
}

template <Isa isa, Layout layout>
void RepeatKernel(const KernelCall& call) noexcept {
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  const auto attrs = call.attrs<RepeatAttrs>();
  Strides dims = kOnes, repeats = kOnes;
  for (int i = 0; i < x.rank(); ++i) dims[i] = x[i];
  repeats[attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis] = attrs.repeats;
  CopyRepeated<isa>(call, layout, y, dims, StridesOf(x, layout), kOnes, repeats);
}

// The operand may have fewer axes than the result: those it lacks have one element.
template <Isa isa, Layout layout>
void TileKernel(const KernelCall& call) noexcept {
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  const Strides own = StridesOf(x, layout);
  Strides dims = kOnes, strides = {}, tiles = kOnes;
  const int missing = y.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i) {
    dims[missing + i] = x[i];
    strides[missing + i] = own[i];
  }
  for (int i = 0; i < y.rank(); ++i) tiles[i] = y[i] / dims[i];
  CopyRepeated<isa>(call, layout, y, dims, strides, tiles, kOnes);
}

template <Isa isa, Layout layout>
void ConcatenateKernel(const KernelCall& call) noexcept {
  const KernelResult& y = call.results[0];
  const Strides y_strides = StridesOf(y.type->shape, layout);
  const auto attrs = call.attrs<ConcatenateAttrs>();
  const int64_t axis = attrs.axis < 0 ? attrs.axis + y.type->shape.rank() : attrs.axis;
  int64_t start = 0;
  for (const KernelOperand& x : call.operands) {
    Folded f(x.type->shape, layout);
    f.AddStrided(y_strides);
    f.AddStrided(StridesOf(x.type->shape, layout));
    f.Fold();
    StridedCopy<isa>(call, f, {x.storage, x.bytes},
                     {y.storage, y.bytes + start * y_strides[axis] * SizeBytes(y.storage)});
    start += x.type->shape[static_cast<int>(axis)];
  }
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(TransposeKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(StridedSliceKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(SliceLikeKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(BroadcastToKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(RepeatKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(TileKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(ConcatenateKernel);

}  // namespace tally
