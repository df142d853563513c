#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_avx2.h"
#include "ops/cpu/gemm/winograd_vectors.h"

namespace tally {

void WinogradInputAvx2(const WinogradInput& c) noexcept { RunWinogradInput<Avx2>(c); }
void WinogradOutputAvx2(const WinogradOutput& c) noexcept { RunWinogradOutput<Avx2>(c); }

}  // namespace tally
