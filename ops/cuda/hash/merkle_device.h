// Merkle trees over SHA-256 (base/hash/merkle.h), level by level: one thread for each hash.
#pragma once

#include "base/hash/leaf_layout.h"
#include "base/hash/sha256_rounds.h"
#include "ops/cuda/thread.h"

namespace tally::cuda {

struct Sha256Constants {
  uint32_t initial_state[8], round[64];
};

// SHA256(prefix || message), as 32 bytes of `digest`. Any size and any alignment.
TALLY_DEVICE void HashPrefixed(const Sha256Constants& constants, uint8_t prefix, const uint8_t* message,
                               int64_t size, uint8_t* digest) {
  constexpr int64_t kBlock = 64, kLength = 8;
  const int64_t total = 1 + size, blocks = (total + 1 + kLength + kBlock - 1) / kBlock;
  const auto byte_at = [&](int64_t i) -> uint32_t {
    return i == 0 ? prefix : i < total ? message[i - 1] : i == total ? 0x80 : 0;
  };
  uint32_t state[8], words[16];
  TALLY_UNROLL for (int i = 0; i < 8; ++i) state[i] = constants.initial_state[i];
  for (int64_t block = 0; block < blocks; ++block) {
    TALLY_UNROLL for (int i = 0; i < 16; ++i) {
      const int64_t at = block * kBlock + 4 * i;
      words[i] = byte_at(at) << 24 | byte_at(at + 1) << 16 | byte_at(at + 2) << 8 | byte_at(at + 3);
    }
    if (block == blocks - 1) {  // ends with the length in bits
      words[14] = static_cast<uint32_t>(static_cast<uint64_t>(total) >> 29);
      words[15] = static_cast<uint32_t>(total << 3);
    }
    Sha256Rounds(state, words, constants.round);
  }
  TALLY_UNROLL for (int i = 0; i < 32; ++i) digest[i] =
      static_cast<uint8_t>(state[i / 4] >> (24 - i % 4 * 8));
}

inline constexpr int64_t kDigestBytes = 32;

struct HashLeavesParams {
  Sha256Constants constants;
  LeafLayout layout;
  int64_t count;
};

// Memory: the bytes of a tensor, the hashes of its leaves.
TALLY_DEVICE void HashLeaves(const Thread& t, const Memory& m, const HashLeavesParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const auto [begin, size] = p.layout.At(i);
  HashPrefixed(p.constants, 0x00, m.at[0] + begin, size, m.at[1] + i * kDigestBytes);
}

struct HashNodesParams {
  Sha256Constants constants;
  int64_t count;  // nodes on the level below
};

// Memory: the nodes of one level, those of the next. A last one without a sibling is its own parent.
TALLY_DEVICE void HashNodes(const Thread& t, const Memory& m, const HashNodesParams& p) {
  const int64_t i = t.global_index();
  if (2 * i >= p.count) return;
  const uint8_t* const pair = m.at[0] + 2 * i * kDigestBytes;
  uint8_t* const parent = m.at[1] + i * kDigestBytes;
  if (2 * i + 1 < p.count) return HashPrefixed(p.constants, 0x01, pair, 2 * kDigestBytes, parent);
  for (int b = 0; b < kDigestBytes; ++b) parent[b] = pair[b];
}

}  // namespace tally::cuda
