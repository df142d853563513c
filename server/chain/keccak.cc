#include "server/chain/keccak.h"

#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace tally::server {
namespace {

static_assert(std::endian::native == std::endian::little);

using State = std::array<uint64_t, 25>;  // lane (x, y) at x + 5 y
constexpr size_t kRate = 136;            // bytes that are absorbed at once: 200 less twice the digest
constexpr int kRounds = 24;

// The 24 round constants are the output of a linear feedback register (FIPS 202, algorithm 5): bit 2^j - 1 of
// a lane each.
uint64_t RoundConstant(uint8_t* lfsr) {
  uint64_t constant = 0;
  for (int j = 0; j < 7; ++j) {
    if (*lfsr & 1) constant |= uint64_t{1} << ((1 << j) - 1);
    *lfsr = static_cast<uint8_t>((*lfsr << 1) ^ ((*lfsr >> 7) * 0x71));
  }
  return constant;
}

// FIPS 202, section 3.2: theta; rho and pi together; chi; iota.
void Permute(State& a) {
  uint8_t lfsr = 1;
  for (int round = 0; round < kRounds; ++round) {
    std::array<uint64_t, 5> parity = {};
    for (size_t x = 0; x < 5; ++x) parity[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    for (size_t x = 0; x < 5; ++x) {
      const uint64_t change = parity[(x + 4) % 5] ^ std::rotl(parity[(x + 1) % 5], 1);
      for (size_t y = 0; y < 25; y += 5) a[x + y] ^= change;
    }
    uint64_t moved = a[1];
    for (size_t x = 1, y = 0, t = 1; t <= 24; ++t) {
      const size_t next = (2 * x + 3 * y) % 5;
      x = y;
      y = next;
      std::swap(moved, a[x + 5 * y]);
      a[x + 5 * y] = std::rotl(a[x + 5 * y], static_cast<int>(t * (t + 1) / 2 % 64));
    }
    for (size_t y = 0; y < 25; y += 5) {
      const std::array<uint64_t, 5> row = {a[y], a[y + 1], a[y + 2], a[y + 3], a[y + 4]};
      for (size_t x = 0; x < 5; ++x) a[x + y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
    a[0] ^= RoundConstant(&lfsr);
  }
}

}  // namespace

Digest Keccak256(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> padded(bytes.begin(), bytes.end());
  padded.resize((bytes.size() / kRate + 1) * kRate);
  padded[bytes.size()] ^= 0x01;
  padded.back() ^= 0x80;
  State state = {};
  for (size_t at = 0; at < padded.size(); at += kRate) {
    for (size_t lane = 0; lane < kRate / 8; ++lane) {
      uint64_t word;
      std::memcpy(&word, padded.data() + at + 8 * lane, sizeof(word));
      state[lane] ^= word;
    }
    Permute(state);
  }
  Digest digest;
  std::memcpy(digest.data(), state.data(), digest.size());
  return digest;
}

}  // namespace tally::server
