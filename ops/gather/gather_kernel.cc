#include "ops/gather/attrs.h"
#include "ops/gather/kernels.h"
#include "ops/gather/place_shape.h"
#include "ops/simd/kernel_attrs.h"
#include "ops/simd/map_chunks.h"

namespace tally {
namespace {

// y[o, j, :] = x[o, place(indices[j]), :], with rows of `inner` elements.
template <Isa isa, typename Place>
void GatherRows(const KernelCall& call, int64_t n, int64_t inner, Place place) {
  const KernelOperand &x = call.operands[0], &indices = call.operands[1];
  const KernelResult& y = call.results[0];
  const auto move = GetConvertLoops<isa>().convert[CodeOf(x.storage)][CodeOf(y.storage)];
  const int64_t count = indices.type->shape.num_elements();
  const Share share = call.ShareOf(y.type->shape.num_elements() / inner);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const int64_t from = row / count * n + place(LoadElement(indices.storage, indices.bytes, row % count));
    if (inner == 1) {
      StoreElement(y.storage, y.bytes, row, LoadElement(x.storage, x.bytes, from));
    } else {
      move(x.bytes + from * inner * SizeBytes(x.storage), y.bytes + row * inner * SizeBytes(y.storage),
           inner);
    }
  }
}

}  // namespace

bool AcceptsGather(const KernelFacts&) { return true; }

template <Isa isa>
void TakeKernel(const KernelCall& call) noexcept {
  const Shape& x = call.operands[0].type->shape;
  const auto axes = AttrList<TakeAttrs>(call, &TakeAttrs::axis);
  const int axis = axes.empty() ? 0 : static_cast<int>(axes[0] < 0 ? axes[0] + x.rank() : axes[0]);
  const int64_t n = axes.empty() ? x.num_elements() : x[axis], inner = axes.empty() ? 1 : x.stride(axis);
  GatherRows<isa>(call, n, inner, [n](int64_t index) { return std::clamp<int64_t>(index, 0, n - 1); });
}

template <Isa isa>
void GatherKernel(const KernelCall& call) noexcept {
  const Shape& x = call.operands[0].type->shape;
  const int64_t attr = call.attrs<GatherAttrs>().axis;
  const int axis = static_cast<int>(attr < 0 ? attr + x.rank() : attr);
  const int64_t n = x[axis];
  GatherRows<isa>(call, n, x.stride(axis), [n](int64_t index) { return ClampedPlace<int64_t>(index, n); });
}

TALLY_INSTANTIATE_KERNEL(TakeKernel);
TALLY_INSTANTIATE_KERNEL(GatherKernel);

}  // namespace tally
