// WebAssembly's vectors: 6 rows by 8 columns, of one row all 32.
#include "ops/cpu/gemm/gemm_vectors.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_simd128.h"

namespace tally {

void GemmS8S8S32Simd128(const GemmArgs& c) noexcept { RunGemm<Simd128, Element::kS8Pairs, 6, 4, 2, 1>(c); }
void GemmS16S8S32Simd128(const GemmArgs& c) noexcept { RunGemm<Simd128, Element::kS16S8, 6, 4, 2, 1>(c); }
void GemmS16S16S32Simd128(const GemmArgs& c) noexcept { RunGemm<Simd128, Element::kS16, 6, 4, 2, 1>(c); }

}  // namespace tally
