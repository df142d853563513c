#include "bench/harness/peak_loops.h"
#if defined(__x86_64__)
#include <immintrin.h>

#include "bench/harness/peak_loop.h"

namespace tally::bench {

int64_t LoopAvx512Vnni(int64_t rounds) {
  return SumProducts<__m512i, 20>(
      rounds, 64, [](__m512i sum, __m512i a, __m512i b) { return _mm512_dpbusd_epi32(sum, a, b); });
}

}  // namespace tally::bench
#endif
