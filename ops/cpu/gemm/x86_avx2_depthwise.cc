#include "ops/cpu/gemm/depthwise_four_lines.h"
#include "ops/cpu/gemm/depthwise_tap_pairs.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_avx2.h"

namespace tally {

void DepthwiseU8Avx2(const DepthwiseCall& c) noexcept { RunDepthwiseBytes<Avx2>(c); }
void DepthwiseS16Avx2(const DepthwiseCall& c) noexcept {
  for (int64_t line = c.line_begin; line < c.line_end; ++line) TapPairsLine(c, line).Run();
}

}  // namespace tally
