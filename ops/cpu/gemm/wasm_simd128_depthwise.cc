#include "ops/cpu/gemm/depthwise_loops.h"
#include "ops/cpu/gemm/kernels.h"

namespace tally {

void DepthwiseS16Simd128(const DepthwiseCall& c) noexcept { DepthwiseLoops(c); }

}  // namespace tally
