// 64-bit accumulators for any machine.
#include "ops/linear/packed/gemm_s64.h"
#include "ops/linear/packed/kernels.h"

namespace tally {

void GemmS16S16S64Portable(const GemmArgs& c) noexcept { RunGemmS64<Element::kS16>(c); }
void GemmS32S32S64Portable(const GemmArgs& c) noexcept { RunGemmS64<Element::kS32>(c); }

}  // namespace tally
