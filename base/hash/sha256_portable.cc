// SHA-256's compression function in plain C++.
#include "base/hash/sha256_compress.h"
#include "base/hash/sha256_rounds.h"

namespace tally {
namespace {

uint32_t LoadBigEndian(const uint8_t* p) {
  return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | uint32_t{p[3]};
}

}  // namespace

void Sha256CompressPortable(uint32_t* state, const uint8_t* blocks, size_t num_blocks) {
  for (; num_blocks > 0; --num_blocks, blocks += kSha256BlockSize) {
    uint32_t words[16];
    for (int i = 0; i < 16; ++i) words[i] = LoadBigEndian(blocks + 4 * i);
    Sha256Rounds(state, words, kSha256RoundConstants);
  }
}

}  // namespace tally
