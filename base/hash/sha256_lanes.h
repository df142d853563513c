// SHA-256 of kLanes messages side by side: lane i of every vector belongs to message i.
//
// Included by one translation unit for each instruction set, compiled with its flags. Vectors are GCC's and
// Clang's extension; nothing of the standard library is called, since a copy of one of its inline functions
// compiled for AVX-512 could be the copy that the linker keeps for everybody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/hash/sha256_batch.h"
#include "base/hash/sha256_compress.h"
#include "base/hash/sha256_rounds.h"

namespace tally {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lanes swap the bytes of each word");

// In a type of its own: GCC loses the attribute of a vector whose size depends on the class around it.
template <typename Element, int kSizeBytes>
struct Vector {
  typedef Element Type __attribute__((vector_size(kSizeBytes)));
};

template <int kLanes>
class Sha256Lanes {
 public:
  static void Hash(uint8_t prefix, const Sha256Message* messages, size_t count, uint8_t* digests) {
    alignas(64) uint8_t stages[kLanes][kSha256BlockSize] = {};
    const uint8_t* blocks[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) blocks[lane] = stages[lane];  // an idle lane hashes anything
    Words state[8];
    for (int i = 0; i < 8; ++i) state[i] = kSha256InitialState[i] - Words{};

    alignas(64) uint8_t finished[kLanes][kDigestSize];
    size_t num_running = count;
    for (size_t block = 0; num_running > 0; ++block) {
      for (size_t lane = 0; lane < count; ++lane) {
        if (block >= NumBlocks(messages[lane])) continue;
        blocks[lane] = Block(prefix, messages[lane], block, stages[lane]);
      }
      Absorb(state, blocks);
      for (size_t lane = 0; lane < count; ++lane) {
        if (block + 1 != NumBlocks(messages[lane])) continue;
        StoreDigest(state, lane, finished[lane]);
        --num_running;
      }
    }
    __builtin_memcpy(digests, finished, count * kDigestSize);
  }

 private:
  using Words = typename Vector<uint32_t, 4 * kLanes>::Type;
  using Bytes = typename Vector<uint8_t, 4 * kLanes>::Type;
  using LaneIndices = std::make_integer_sequence<int, kLanes>;
  using ByteIndices = std::make_integer_sequence<int, 4 * kLanes>;

  static constexpr size_t kDigestSize = 32;
  static constexpr size_t kLengthSize = 8;

  // The prefix, the message, a one bit, zeros and the length in bits fill whole blocks.
  static size_t NumBlocks(const Sha256Message& message) {
    return (1 + message.size + kLengthSize) / kSha256BlockSize + 1;
  }

  // The bytes of one block: in place, unless they include the prefix or the padding.
  static const uint8_t* Block(uint8_t prefix, const Sha256Message& message, size_t block, uint8_t* stage) {
    const size_t size = 1 + message.size;
    const size_t begin = block * kSha256BlockSize;  // both count the prefix
    if (size >= begin + kSha256BlockSize) {
      if (block > 0) return message.data + (begin - 1);
      stage[0] = prefix;
      __builtin_memcpy(stage + 1, message.data, kSha256BlockSize - 1);
      return stage;
    }
    __builtin_memset(stage, 0, kSha256BlockSize);
    if (size >= begin) {
      const size_t taken = size - begin;
      const size_t skipped = block == 0 ? 1 : 0;
      if (block == 0) stage[0] = prefix;
      if (taken > skipped) {
        __builtin_memcpy(stage + skipped, message.data + (begin + skipped - 1), taken - skipped);
      }
      stage[taken] = 0x80;
    }
    if (block + 1 == NumBlocks(message)) {
      const uint64_t size_bits = __builtin_bswap64(uint64_t{size} * 8);
      __builtin_memcpy(stage + kSha256BlockSize - kLengthSize, &size_bits, kLengthSize);
    }
    return stage;
  }

  static void StoreDigest(const Words* state, size_t lane, uint8_t* digest) {
    for (int i = 0; i < 8; ++i) {
      const uint32_t word = __builtin_bswap32(state[i][lane]);
      __builtin_memcpy(digest + 4 * i, &word, 4);
    }
  }

  static void Absorb(Words* state, const uint8_t* const* blocks) {
    Words words[16];
#pragma GCC unroll 16
    for (int first = 0; first < 16; first += kLanes) {
#pragma GCC unroll 16
      for (int lane = 0; lane < kLanes; ++lane) {
        Words& row = words[first + lane];
        __builtin_memcpy(&row, blocks[lane] + 4 * first, sizeof(row));
        row = SwapBytes(row, ByteIndices());
      }
      Transpose<1>(words + first);
    }
    Sha256Rounds(state, words, kSha256RoundConstants);
  }

  template <int... kByte>
  static Words SwapBytes(Words words, std::integer_sequence<int, kByte...>) {
    const Bytes bytes = reinterpret_cast<Bytes>(words);
    return reinterpret_cast<Words>(__builtin_shufflevector(bytes, bytes, (kByte ^ 3)...));
  }

  // Swaps the off-diagonal quarters of every 2 kStep x 2 kStep tile, then of the tiles twice as large: the
  // transpose of kLanes rows. (Gathering columns instead is slower by half, and far slower on processors
  // whose gather is patched against data sampling.)
  template <int kStep>
  static void Transpose(Words* rows) {
    if constexpr (kStep < kLanes) {
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) {
        if ((i & kStep) == 0) SwapQuarters<kStep>(rows[i], rows[i + kStep], LaneIndices());
      }
      Transpose<2 * kStep>(rows);
    }
  }

  template <int kStep, int... kLane>
  static void SwapQuarters(Words& upper, Words& lower, std::integer_sequence<int, kLane...>) {
    const Words before = upper;
    upper = __builtin_shufflevector(before, lower, (kLane & kStep ? kLanes + kLane - kStep : kLane)...);
    lower = __builtin_shufflevector(before, lower, (kLane & kStep ? kLanes + kLane : kLane + kStep)...);
  }
};

}  // namespace tally
