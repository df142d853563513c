#include "cli/profile/peak_loops.h"
#if defined(__x86_64__)
#include <immintrin.h>

#include "cli/profile/peak_loop.h"

namespace tally::cli {

int64_t LoopAvx512Vnni(int64_t rounds) {
  return SumProducts<__m512i, 20>(
      rounds, 64, [](__m512i sum, __m512i a, __m512i b) { return _mm512_dpbusd_epi32(sum, a, b); });
}

}  // namespace tally::cli
#endif
