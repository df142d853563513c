#include "ops/cpu/gemm/depthwise_tap_pairs.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_simd128.h"

namespace tally {

void DepthwiseS16Simd128(const DepthwiseCall& c) noexcept { RunDepthwiseWords<Simd128>(c); }

}  // namespace tally
