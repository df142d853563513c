#include "ops/cpu/gemm/depthwise_four_lines.h"
#include "ops/cpu/gemm/depthwise_tap_pairs.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_avx2.h"

namespace tally {

void DepthwiseU8Avx2(const DepthwiseCall& c) noexcept { RunDepthwiseBytes<Avx2>(c); }
void DepthwiseS16Avx2(const DepthwiseCall& c) noexcept { RunDepthwiseWords<Avx2>(c); }

}  // namespace tally
