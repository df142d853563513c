#include "ops/cpu/gemm/depthwise_four_lines.h"
#include "ops/cpu/gemm/depthwise_tap_pairs.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_avx512.h"

namespace tally {

void DepthwiseU8Avx512(const DepthwiseCall& c) noexcept { RunDepthwiseBytes<Avx512>(c); }
void DepthwiseS16Avx512(const DepthwiseCall& c) noexcept { RunDepthwiseWords<Avx512>(c); }

}  // namespace tally
