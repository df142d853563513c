#include "cli/profile/peak_loops.h"
#if defined(__x86_64__)
#include <immintrin.h>

#include "cli/profile/peak_loop.h"

namespace tally::cli {

int64_t LoopAvxVnni(int64_t rounds) {
  return SumProducts<__m256i, 12>(
      rounds, 32, [](__m256i sum, __m256i a, __m256i b) { return _mm256_dpbusd_avx_epi32(sum, a, b); });
}

}  // namespace tally::cli
#endif
