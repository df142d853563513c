// AVX-VNNI: 6 rows by 16 columns in twelve registers, of one or two rows all 32.
#include "ops/cpu/gemm/gemm_vectors.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_avxvnni.h"

namespace tally {

void GemmU8S8S32AvxVnni(const GemmArgs& c) noexcept { RunGemm<AvxVnni, Element::kBiasedS8, 6, 4, 2, 1>(c); }
void GemmS16S16S32AvxVnni(const GemmArgs& c) noexcept { RunGemm<AvxVnni, Element::kS16, 6, 4, 2, 1>(c); }

}  // namespace tally
