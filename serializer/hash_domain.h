// The first byte of every hashed string, so that no object can be mistaken for one of another kind.
//
// 00 and 01 are the leaves and nodes of RFC 6962 (base/hash/merkle.h). docs/spec/commitment.md has the whole
// list.
#pragma once

#include <cstdint>
#include <span>

#include "base/hash/sha256.h"

namespace tally {

enum class HashDomain : uint8_t {
  kTensor = 0x10,
  kProgram = 0x11,
  kBounds = 0x12,
  kIoMap = 0x13,
  kClaim = 0x14,
  kReceipt = 0x15,
  kTrace = 0x16,
  kColumns = 0x17,
  kMetadata = 0x1b,
  kRecipe = 0x1c,
  kOrigin = 0x1d,
};

// SHA256(domain || bytes)
inline Digest HashInDomain(HashDomain domain, std::span<const uint8_t> bytes) {
  const uint8_t prefix[] = {static_cast<uint8_t>(domain)};
  Sha256 hash;
  hash.Update(prefix);
  hash.Update(bytes);
  return hash.Finish();
}

}  // namespace tally
