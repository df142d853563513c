// The bytes of the constants that a certificate gives by their recipes, one after the other: a judge that
// computes no exponentials is sent them along (docs/guides/chain.md).
#pragma once

#include <cstdint>
#include <vector>

#include "proof/certificate/certificate.h"

namespace tally {

// A recipe that is none has no bytes.
std::vector<uint8_t> RecipeTables(const Certificate& certificate);

}  // namespace tally
