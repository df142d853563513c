#include "ops/cpu/kernel_attrs.h"
#include "ops/cpu/strided_copy.h"
#include "ops/layout/attrs.h"
#include "ops/layout/cpu/kernels.h"

namespace tally {

template <Isa isa, Layout>
void FillKernel(const KernelCall& call) noexcept {
  const KernelResult& y = call.results[0];
  const Share share = call.ShareOf(y.type->shape.num_elements(), 64);
  GetConvertLoops<isa>().fill[CodeOf(y.storage)](y.bytes + share.begin * SizeBytes(y.storage),
                                                 share.end - share.begin,
                                                 AttrOf<FillAttrs>(call, &FillAttrs::value));
}

// Runs of equal elements where the axis is not the innermost.
template <Isa isa, Layout layout>
void IotaKernel(const KernelCall& call) noexcept {
  const KernelResult& y = call.results[0];
  const Shape& shape = y.type->shape;
  const int64_t start = AttrOf<IotaAttrs>(call, &IotaAttrs::start),
                step = AttrOf<IotaAttrs>(call, &IotaAttrs::step);
  const int64_t given = AttrOf<IotaAttrs>(call, &IotaAttrs::axis);
  const int64_t axis = given < 0 ? given + shape.rank() : given;
  const int64_t inner = StridesOf(shape, layout)[axis], n = shape[static_cast<int>(axis)];
  const Share share = call.ShareOf(shape.num_elements() / inner);
  for (int64_t i = share.begin; i < share.end; ++i) {
    GetConvertLoops<isa>().fill[CodeOf(y.storage)](y.bytes + i * inner * SizeBytes(y.storage), inner,
                                                   start + step * (i % n));
  }
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(FillKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(IotaKernel);

}  // namespace tally
