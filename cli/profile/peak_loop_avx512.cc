#include "cli/profile/peak_loops.h"
#if defined(__x86_64__)
#include <immintrin.h>

#include "cli/profile/peak_loop.h"

namespace tally::cli {

int64_t LoopAvx512(int64_t rounds) {
  return SumProducts<__m512i, 20>(rounds, 32, [](__m512i sum, __m512i a, __m512i b) {
    return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
  });
}

void ReadAvx512(const uint8_t* data, int64_t bytes) {
  __m512i sums[4] = {};
  for (int64_t i = 0; i + 256 <= bytes; i += 256) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      sums[j] = _mm512_or_si512(sums[j], _mm512_loadu_si512(data + i + 64 * j));
    }
  }
#pragma GCC unroll 4
  for (__m512i& sum : sums) asm volatile("" : "+v"(sum));
}

}  // namespace tally::cli
#endif
