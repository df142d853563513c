// 64-bit accumulators for any machine.
#include "ops/cpu/gemm/gemm_s64.h"
#include "ops/cpu/gemm/kernels.h"

namespace tally {

void GemmS16S16S64Portable(const GemmArgs& c) noexcept { RunGemmS64<Element::kS16>(c); }
void GemmS32S32S64Portable(const GemmArgs& c) noexcept { RunGemmS64<Element::kS32>(c); }

}  // namespace tally
