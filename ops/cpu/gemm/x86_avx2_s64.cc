// 64-bit accumulators on AVX2: 2 rows by 16 columns. vpmaddwd wraps for the pair that passes 2^31, as
// s64_accumulation.h needs it.
#include <immintrin.h>

#define TALLY_S64_AVX2
#include "ops/cpu/gemm/gemm_s64.h"
#include "ops/cpu/gemm/kernels.h"

namespace tally {

void GemmS16S16S64Avx2(const GemmArgs& c) noexcept { RunGemmS64<Element::kS16>(c); }
void GemmS32S32S64Avx2(const GemmArgs& c) noexcept { RunGemmS64<Element::kS32>(c); }

}  // namespace tally
