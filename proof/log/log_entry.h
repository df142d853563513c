// Receipts as entries of a log: claim, core and signature, from which the receipt is made anew.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "proof/receipt/receipt.h"

namespace tally {

// CBOR {1: 1, 2: claim, 3: core, 4: signature}, below 1 KiB.
std::vector<uint8_t> EncodeLogEntry(const Receipt& receipt);

// Errors: log_form; those of DecodeClaim and DecodeReceiptCore; receipt_claim, where the core names another
// claim.
absl::StatusOr<Receipt> DecodeLogEntry(std::span<const uint8_t> entry);

}  // namespace tally
