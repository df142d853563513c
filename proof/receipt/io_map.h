// An io-map: the digests of all inputs of a run, or of all its results, in their order
// (docs/spec/claim.md#io-maps).
//
//   const Digest digest = IoMapDigest(digests);
//
// Their names and scales are those of the module's metadata, which its id binds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"

namespace tally {

// CBOR [tensor digest, ...]
std::vector<uint8_t> EncodeIoMap(std::span<const Digest> tensors);

// Errors: those of CborReader.
absl::StatusOr<std::vector<Digest>> DecodeIoMap(std::span<const uint8_t> bytes);

// SHA256(13 || CBOR)
Digest IoMapDigest(std::span<const Digest> tensors);

}  // namespace tally
