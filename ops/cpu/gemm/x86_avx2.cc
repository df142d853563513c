// AVX2: 6 rows by 16 columns in twelve registers, of one or two rows all 32.
#include "ops/cpu/gemm/gemm_vectors.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_avx2.h"

namespace tally {

void GemmS8S8S32Avx2(const GemmArgs& c) noexcept { RunGemm<Avx2, Element::kS8Pairs, 6, 4, 2, 1>(c); }
void GemmS16S8S32Avx2(const GemmArgs& c) noexcept { RunGemm<Avx2, Element::kS16S8, 6, 4, 2, 1>(c); }
void GemmS16S16S32Avx2(const GemmArgs& c) noexcept { RunGemm<Avx2, Element::kS16, 6, 4, 2, 1>(c); }

}  // namespace tally
