// A claim: this module, run on these inputs, gives these results; the same bytes on every honest node
// (docs/spec/claim.md).
//
//   const Claim claim = {.module = id,
//                        .inputs = IoMapDigest(...),
//                        .bounds = BoundsDigest(...),
//                        .gas = gas,
//                        .results = IoMapDigest(...)};
//   const Digest claim_id = ClaimId(claim);
//
// A run that was refused has a claim too: its status is the label of the refusal, and it has no results.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"

namespace tally {

inline constexpr std::string_view kRan = "ok";

struct Claim {
  Digest module = {};  // its id
  Digest inputs = {};  // an io-map
  Digest bounds = {};  // the module's
  uint64_t gas = 0;    // charged: that of the module, or 0 for a run that was refused
  // kRan; or gas_limit, memory_limit, input_count, input_shape or input_interval, the first that applies in
  // this order.
  std::string status = std::string(kRan);
  std::optional<Digest> results;  // an io-map; of runs that ran
  std::optional<uint64_t> limit;  // the caller's, which the run exceeded; of gas_limit and memory_limit

  friend bool operator==(const Claim&, const Claim&) = default;
};

// Whether `status` is one of those, and whether it is one that names a limit.
bool IsClaimStatus(std::string_view status);
bool IsLimitStatus(std::string_view status);

// CBOR {1: 1, 2: module, 3: inputs, 4: results, 5: bounds, 6: gas, 7: status, 8: limit}, without what
// the claim lacks. The status is one of the above; results and limit are there as it says.
std::vector<uint8_t> EncodeClaim(const Claim& claim);

// Errors: those of CborReader; proof_version (the first field is not 1), claim_status.
absl::StatusOr<Claim> DecodeClaim(std::span<const uint8_t> bytes);

// SHA256(14 || CBOR)
Digest ClaimId(const Claim& claim);

}  // namespace tally
