// SHA-256 (FIPS 180-4), the hash of every Tally commitment.
//
//   const Digest digest = Sha256Hash(bytes);
//
//   Sha256 hash;
//   hash.Update(header);
//   hash.Update(body);
//   const Digest digest = hash.Finish();
//
// The fastest implementation that the processor runs is chosen once per process; all return the same bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/hash/digest.h"
#include "base/hash/sha256_compress.h"

namespace tally {

class Sha256 {
 public:
  Sha256() : Sha256(BestSha256Compress()) {}

  // With a given compression function, for tests and benchmarks.
  explicit Sha256(Sha256Compress compress) : compress_(compress) { Reset(); }

  // Appends to the message, which may reach 2^61 - 1 bytes.
  void Update(std::span<const uint8_t> bytes);

  // The digest of the message so far; the hash is then ready for another message.
  Digest Finish();

 private:
  void Reset();

  Sha256Compress compress_;
  std::array<uint32_t, 8> state_;
  std::array<uint8_t, kSha256BlockSize> pending_;  // the bytes of an incomplete block
  uint64_t size_bytes_;                            // for the message so far
};

Digest Sha256Hash(std::span<const uint8_t> bytes);

}  // namespace tally
