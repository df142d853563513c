// The rounds of SHA-256 (FIPS 180-4 section 6.2.2), for one message or for several side by side.
//
// A Word is a uint32_t, or a vector of them that holds the same word of several messages. Every vector width
// is instantiated in one translation unit only, so code compiled for a wide instruction set cannot stand in
// for another's. Device code includes this too, and has the round constants elsewhere.
#pragma once

#include <cstdint>

namespace tally {

template <typename Word>
constexpr Word RotateRight(Word x, int count) {
  return (x >> count) | (x << (32 - count));
}

template <typename Word>
constexpr Word BigSigma0(Word x) {
  return RotateRight(x, 2) ^ RotateRight(x, 13) ^ RotateRight(x, 22);
}

template <typename Word>
constexpr Word BigSigma1(Word x) {
  return RotateRight(x, 6) ^ RotateRight(x, 11) ^ RotateRight(x, 25);
}

template <typename Word>
constexpr Word SmallSigma0(Word x) {
  return RotateRight(x, 7) ^ RotateRight(x, 18) ^ (x >> 3);
}

template <typename Word>
constexpr Word SmallSigma1(Word x) {
  return RotateRight(x, 17) ^ RotateRight(x, 19) ^ (x >> 10);
}

template <typename Word>
constexpr Word Choose(Word x, Word y, Word z) {
  return z ^ (x & (y ^ z));
}

template <typename Word>
constexpr Word Majority(Word x, Word y, Word z) {
  return (x & y) ^ (z & (x ^ y));
}

// Absorbs one block, given as its sixteen big-endian words, into the eight words of state. Leaves the last
// sixteen words of the message schedule in `words`. `round_constants`: kSha256RoundConstants.
template <typename Word>
constexpr void Sha256Rounds(Word* state, Word* words, const uint32_t* round_constants) {
  Word a = state[0], b = state[1], c = state[2], d = state[3];
  Word e = state[4], f = state[5], g = state[6], h = state[7];
  for (int first = 0; first < 64; first += 16) {
    // Unrolled, the schedule's indices are constants and the eight moves below are renamings.
#ifdef __CUDACC__
#pragma unroll
#else
#pragma GCC unroll 16
#endif
    for (int i = 0; i < 16; ++i) {
      Word& word = words[i];
      if (first != 0) {
        word += SmallSigma1(words[(i + 14) % 16]) + words[(i + 9) % 16] + SmallSigma0(words[(i + 1) % 16]);
      }
      const Word t1 = h + BigSigma1(e) + Choose(e, f, g) + round_constants[first + i] + word;
      const Word t2 = BigSigma0(a) + Majority(a, b, c);
      h = g, g = f, f = e, e = d + t1;
      d = c, c = b, b = a, a = t1 + t2;
    }
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

}  // namespace tally
