// Keccak-256, with which chains hash: SHA3-256 with the padding of the competition instead of the standard's
// (Ethereum's yellow paper, section 3).
#pragma once

#include <cstdint>
#include <span>

#include "base/hash/digest.h"

namespace tally::server {

Digest Keccak256(std::span<const uint8_t> bytes);

}  // namespace tally::server
