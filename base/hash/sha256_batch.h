// SHA-256 of several short messages at once, as the leaves and nodes of a tree are.
//
// Vector instructions do not help one message, whose rounds follow each other, but hash one message in every
// lane as fast as they hash one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/cpu_flags.h"

namespace tally {

struct Sha256Message {
  const uint8_t* data;
  size_t size;
};

inline constexpr size_t kMaxSha256Lanes = 16;

struct Sha256Batch {
  // Writes the 32 bytes of SHA256(prefix || messages[i]) to digests + 32 * i, for 1 <= count <= lanes.
  // Nothing is written before every message has been read, so digests may overlay them.
  using Hash = void (*)(uint8_t prefix, const Sha256Message* messages, size_t count, uint8_t* digests);

  std::string_view name;
  CpuFlags required;
  size_t lanes;  // <= kMaxSha256Lanes
  Hash hash;
};

// All that are compiled in, fastest first; the last needs no flag.
std::span<const Sha256Batch> Sha256Batches();

// The first that a processor with these flags runs.
const Sha256Batch& ChooseSha256Batch(CpuFlags cpu);

// The choice for this processor, made once.
const Sha256Batch& BestSha256Batch();

// x86-64 only.
void Sha256HashAvx512(uint8_t prefix, const Sha256Message* messages, size_t count, uint8_t* digests);
void Sha256HashAvx2(uint8_t prefix, const Sha256Message* messages, size_t count, uint8_t* digests);
void Sha256HashSse2(uint8_t prefix, const Sha256Message* messages, size_t count, uint8_t* digests);

}  // namespace tally
