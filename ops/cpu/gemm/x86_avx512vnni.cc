// AVX-512 with VNNI: 14 rows by 32 columns in 28 registers.
#include "ops/cpu/gemm/gemm_vectors.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_avx512vnni.h"

namespace tally {

void GemmU8S8S32Avx512Vnni(const GemmArgs& c) noexcept {
  RunGemm<Avx512Vnni, Element::kBiasedS8, 14, 8, 7, 4, 2, 1>(c);
}
void GemmS16S16S32Avx512Vnni(const GemmArgs& c) noexcept {
  RunGemm<Avx512Vnni, Element::kS16, 14, 8, 7, 4, 2, 1>(c);
}

}  // namespace tally
