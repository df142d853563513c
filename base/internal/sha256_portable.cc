// SHA-256's compression function as FIPS 180-4 section 6.2.2 states it.
#include <bit>

#include "base/internal/sha256_compress.h"

namespace tally {
namespace {

uint32_t LoadBigEndian(const uint8_t* p) {
  return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | uint32_t{p[3]};
}

uint32_t BigSigma0(uint32_t x) { return std::rotr(x, 2) ^ std::rotr(x, 13) ^ std::rotr(x, 22); }
uint32_t BigSigma1(uint32_t x) { return std::rotr(x, 6) ^ std::rotr(x, 11) ^ std::rotr(x, 25); }
uint32_t SmallSigma0(uint32_t x) { return std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3); }
uint32_t SmallSigma1(uint32_t x) { return std::rotr(x, 17) ^ std::rotr(x, 19) ^ (x >> 10); }
uint32_t Choose(uint32_t x, uint32_t y, uint32_t z) { return z ^ (x & (y ^ z)); }
uint32_t Majority(uint32_t x, uint32_t y, uint32_t z) { return (x & y) ^ (z & (x ^ y)); }

void CompressOne(uint32_t* state, const uint8_t* block) {
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  uint32_t words[16];  // the last sixteen of the message schedule
  for (int first = 0; first < 64; first += 16) {
    // Unrolled, the schedule's indices are constants and the eight moves below are renamings.
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      uint32_t& word = words[i];
      if (first == 0) {
        word = LoadBigEndian(block + 4 * i);
      } else {
        word += SmallSigma1(words[(i + 14) % 16]) + words[(i + 9) % 16] + SmallSigma0(words[(i + 1) % 16]);
      }
      const uint32_t t1 = h + BigSigma1(e) + Choose(e, f, g) + kSha256RoundConstants[first + i] + word;
      const uint32_t t2 = BigSigma0(a) + Majority(a, b, c);
      h = g, g = f, f = e, e = d + t1;
      d = c, c = b, b = a, a = t1 + t2;
    }
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

}  // namespace

void Sha256CompressPortable(uint32_t* state, const uint8_t* blocks, size_t num_blocks) {
  for (size_t i = 0; i < num_blocks; ++i) CompressOne(state, blocks + i * kSha256BlockSize);
}

}  // namespace tally
