#include "ops/cpu/gemm/depthwise_four_lines.h"
#include "ops/cpu/gemm/depthwise_tap_pairs.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_avxvnni.h"

namespace tally {

void DepthwiseU8AvxVnni(const DepthwiseCall& c) noexcept { RunDepthwiseBytes<AvxVnni>(c); }
void DepthwiseS16AvxVnni(const DepthwiseCall& c) noexcept { RunDepthwiseWords<AvxVnni>(c); }

}  // namespace tally
