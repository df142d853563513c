#include "bench/harness/peak_loops.h"
#if defined(__x86_64__)
#include <immintrin.h>

namespace tally::bench {

int64_t LoopAvx512Vnni(int64_t rounds) {
  constexpr int kChains = 20;  // more than latency times ports
  __m512i sums[kChains];
#pragma GCC unroll 20
  for (__m512i& sum : sums) {
    sum = _mm512_setzero_si512();
    asm volatile("" : "+v"(sum));  // else the compiler computes the equal chains once
  }
  __m512i a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(1);
  for (int64_t i = 0; i < rounds; ++i) {
    // The compiler may not know what the registers hold, so it can neither hoist nor merge the products.
    asm volatile("" : "+v"(a), "+v"(b));
#pragma GCC unroll 20
    for (__m512i& sum : sums) sum = _mm512_dpbusd_epi32(sum, a, b);
  }
#pragma GCC unroll 20
  for (__m512i& sum : sums) asm volatile("" : "+v"(sum));
  return rounds * kChains * 64 * 2;
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

}  // namespace tally::bench
#endif
