#include "cli/profile/peak_loops.h"
#if defined(__x86_64__)
#include <immintrin.h>

#include "cli/profile/peak_loop.h"

namespace tally::cli {

int64_t LoopAvx2(int64_t rounds) {
  return SumProducts<__m256i, 12>(rounds, 16, [](__m256i sum, __m256i a, __m256i b) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  });
}

}  // namespace tally::cli
#endif
