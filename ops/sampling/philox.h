// Philox 4x32-10: 128 bits that look random, as a function of a counter and a key.
//
// From Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). No state:
// every element of a tensor has a counter of its own, so any engine computes any of them in any order.
#pragma once

#include <array>
#include <cstdint>

namespace tally {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

constexpr PhiloxCounter Philox4x32(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0], b = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key = {static_cast<uint32_t>(key[0] + 0x9E3779B9), static_cast<uint32_t>(key[1] + 0xBB67AE85)};
  }
  return counter;
}

// Shared by the elements of one instruction; every part is below 2^32.
struct RandomStream {
  int64_t seed = 0;
  int64_t layer = 0;
  int64_t iteration = 0;
};

// The 64 bits of an element: the low two words of its block.
constexpr uint64_t DrawBits(const RandomStream& stream, int64_t element) {
  const PhiloxCounter block =
      Philox4x32({static_cast<uint32_t>(element), static_cast<uint32_t>(element >> 32),
                  static_cast<uint32_t>(stream.iteration), 0},
                 {static_cast<uint32_t>(stream.seed), static_cast<uint32_t>(stream.layer)});
  return block[0] | static_cast<uint64_t>(block[1]) << 32;
}

// floor(bits * count / 2^64): an integer of [0, count), count >= 1.
constexpr int64_t DrawBelow(uint64_t bits, int64_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<int64_t>(static_cast<Wide>(bits) * static_cast<uint64_t>(count) >> 64);
}

}  // namespace tally
