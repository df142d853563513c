#include "base/hash/sha256_lanes.h"

namespace tally {

void Sha256HashAvx2(uint8_t prefix, const Sha256Message* messages, size_t count, uint8_t* digests) {
  Sha256Lanes<8>::Hash(prefix, messages, count, digests);
}

}  // namespace tally
