// 64-bit accumulators on AVX-512 with VNNI: 4 rows by 32 columns.
#include <immintrin.h>

#define TALLY_S64_AVX512VNNI
#include "ops/cpu/gemm/gemm_s64.h"
#include "ops/cpu/gemm/kernels.h"

namespace tally {

void GemmS16S16S64Avx512Vnni(const GemmArgs& c) noexcept { RunGemmS64<Element::kS16>(c); }
void GemmS32S32S64Avx512Vnni(const GemmArgs& c) noexcept { RunGemmS64<Element::kS32>(c); }

}  // namespace tally
