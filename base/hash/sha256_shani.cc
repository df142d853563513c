// SHA-256's compression function on the x86 SHA extensions (compiled with -msha -msse4.1).
//
// The instructions keep the eight working variables in two registers, {A, B, E, F} and {C, D, G, H} from the
// highest lane down, and do two rounds each; a group of four message words feeds four rounds.
#include <immintrin.h>

#include "base/hash/sha256_compress.h"

namespace tally {
namespace {

constexpr int kNumGroups = 16;  // 64 rounds, four at a time

// W[t .. t+3] from the sixteen words before it, given in groups of four, oldest first.
inline __m128i NextWords(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
  const __m128i seven_to_four_before = _mm_alignr_epi8(w3, w2, 4);  // W[t-7 .. t-4]
  return _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), seven_to_four_before), w3);
}

inline __m128i Load(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }

}  // namespace

void Sha256CompressShaNi(uint32_t* state, const uint8_t* blocks, size_t num_blocks) {
  const __m128i swap_bytes = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);

  const __m128i cdab = _mm_shuffle_epi32(Load(state), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(Load(state + 4), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

  for (; num_blocks > 0; --num_blocks, blocks += kSha256BlockSize) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i w[4];
#pragma GCC unroll 16
    for (int group = 0; group < kNumGroups; ++group) {
      __m128i& words = w[group % 4];
      words = group < 4 ? _mm_shuffle_epi8(Load(blocks + 16 * group), swap_bytes)
                        : NextWords(words, w[(group + 1) % 4], w[(group + 2) % 4], w[(group + 3) % 4]);
      const __m128i inputs = _mm_add_epi32(words, Load(&kSha256RoundConstants[4 * group]));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, inputs);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(inputs, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }

  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace tally
