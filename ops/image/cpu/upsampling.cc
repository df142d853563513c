#include "ops/cpu/kernel_attrs.h"
#include "ops/cpu/strided_copy.h"
#include "ops/image/attrs.h"
#include "ops/image/cpu/kernels.h"

namespace tally {

bool AcceptsImage(const KernelFacts& facts) { return ConstantsAgree(facts); }

template <Isa isa, Layout layout>
void UpsamplingKernel(const KernelCall& call) noexcept {
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  const int64_t scale = AttrOf<UpsamplingAttrs>(call, &UpsamplingAttrs::scale);
  CopyRepeated<isa>(call, layout, y, {x[0], x[1], x[2], x[3]}, StridesOf(x, layout), kOnes,
                    {1, 1, scale, scale});
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(UpsamplingKernel);

}  // namespace tally
