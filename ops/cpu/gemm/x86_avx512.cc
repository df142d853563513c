// AVX-512 without VNNI: 14 rows by 32 columns in 28 registers.
#include "ops/cpu/gemm/gemm_vectors.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_avx512.h"

namespace tally {

void GemmS8S8S32Avx512(const GemmArgs& c) noexcept {
  RunGemm<Avx512, Element::kS8Pairs, 14, 8, 7, 4, 2, 1>(c);
}
void GemmS16S8S32Avx512(const GemmArgs& c) noexcept {
  RunGemm<Avx512, Element::kS16S8, 14, 8, 7, 4, 2, 1>(c);
}
void GemmS16S16S32Avx512(const GemmArgs& c) noexcept { RunGemm<Avx512, Element::kS16, 14, 8, 7, 4, 2, 1>(c); }

}  // namespace tally
