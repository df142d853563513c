#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/simd_avx512.h"
#include "ops/cpu/gemm/winograd_vectors.h"

namespace tally {

void WinogradInputAvx512(const WinogradInput& c) noexcept { RunWinogradInput<Avx512>(c); }
void WinogradOutputAvx512(const WinogradOutput& c) noexcept { RunWinogradOutput<Avx512>(c); }

}  // namespace tally
