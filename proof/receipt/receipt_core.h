// The core of a receipt: who made a claim, when, and for which request (docs/spec/receipt.md#core).
//
//   const Digest receipt_id = ReceiptId({.claim = ClaimId(claim), .nonce = nonce, .issued_at = seconds, .key = key.id()});
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"

namespace tally {

// 32 bytes that the requester drew, so that nobody answers with the receipt of an earlier request.
using Nonce = Digest;

struct ReceiptCore {
  Digest claim = {};             // its id
  std::optional<Nonce> nonce;    // the request's, where it had one
  uint64_t issued_at = 0;        // seconds since 1970-01-01 00:00 UTC, as the executor's clock says
  Digest key = {};               // the id of the key that signs (proof/receipt/ed25519.h)
  std::optional<Digest> trace;   // TraceDigest of the run (proof/trace/trace.h), if it was asked for
  std::optional<Digest> origin;  // OriginDigest of the module (proof/receipt/origin.h), if it is known

  friend bool operator==(const ReceiptCore&, const ReceiptCore&) = default;
};

// The time of this machine's clock, for issued_at.
uint64_t SecondsSince1970();

// CBOR {1: 1, 2: claim, 3: nonce, 4: issued at, 5: key, 6: trace, 7: origin}, without what there is not.
std::vector<uint8_t> EncodeReceiptCore(const ReceiptCore& core);

// Errors: those of CborReader; proof_version (the first field is not 1).
absl::StatusOr<ReceiptCore> DecodeReceiptCore(std::span<const uint8_t> bytes);

// SHA256(15 || CBOR)
Digest ReceiptId(const ReceiptCore& core);

}  // namespace tally
