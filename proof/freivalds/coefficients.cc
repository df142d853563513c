#include "proof/freivalds/coefficients.h"

#include <openssl/rand.h>

#include <cstdlib>
#include <span>

#include "base/hash/sha256.h"

namespace tally {
namespace {

void Put(Sha256& hash, uint64_t value) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(value >> (8 * i));
  hash.Update(bytes);
}

}  // namespace

AuditSecret AuditSecret::Draw() {
  Digest bytes;
  // Without random numbers there is no audit.
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) std::abort();
  return AuditSecret(bytes);
}

std::vector<int32_t> AuditSecret::Coefficients(const Digest& module, uint32_t instruction,
                                               uint32_t repetition, int64_t count) const {
  std::vector<int32_t> numbers;
  for (uint64_t block = 0; static_cast<int64_t>(numbers.size()) < count; ++block) {
    Sha256 hash;
    hash.Update(bytes_);
    hash.Update(module);
    Put(hash, instruction);
    Put(hash, repetition);
    Put(hash, block);
    const Digest digest = hash.Finish();
    for (size_t i = 0; i < digest.size() && static_cast<int64_t>(numbers.size()) < count; i += 4) {
      const uint32_t bits = static_cast<uint32_t>(digest[i]) | static_cast<uint32_t>(digest[i + 1]) << 8 |
                            static_cast<uint32_t>(digest[i + 2]) << 16 |
                            static_cast<uint32_t>(digest[i + 3]) << 24;
      numbers.push_back(static_cast<int32_t>(bits));
    }
  }
  return numbers;
}

}  // namespace tally
