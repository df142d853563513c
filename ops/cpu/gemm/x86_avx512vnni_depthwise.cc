#include "ops/cpu/gemm/depthwise_four_lines.h"
#include "ops/cpu/gemm/depthwise_tap_pairs.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_avx512vnni.h"

namespace tally {

void DepthwiseU8Avx512Vnni(const DepthwiseCall& c) noexcept { RunDepthwiseBytes<Avx512Vnni>(c); }
void DepthwiseS16Avx512Vnni(const DepthwiseCall& c) noexcept { RunDepthwiseWords<Avx512Vnni>(c); }

}  // namespace tally
