// A signed receipt: a claim and the core of its receipt in a DSSE envelope around an in-toto statement
// (docs/spec/receipt.md).
//
//   const Receipt receipt = SignReceipt(claim, {.nonce = nonce, .issued_at = seconds}, key);
//   RETURN_IF_ERROR(WriteFileAtomically("run.receipt", AsBytes(ToJson(receipt))));
//
//   ASSIGN_OR_RETURN(const Receipt receipt, ReceiptFromJson(text));
//   const Verdict verdict = VerifyReceipt(receipt, {.key = public_key});
//
// The CBOR of claim and core is what counts. The JSON around it is for tools that read in-toto and for
// people; the reader makes it anew from the CBOR and refuses every other text, so that no two readers can see
// two things in one file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "proof/receipt/claim.h"
#include "proof/receipt/ed25519.h"
#include "proof/receipt/receipt_core.h"

namespace tally {

inline constexpr std::string_view kReceiptPayloadType = "application/vnd.in-toto+json";
inline constexpr std::string_view kReceiptPredicateType = "urn:tally:receipt:1";

// A file is larger by no more than this, whatever it holds.
inline constexpr uint64_t kMaxReceiptBytes = 1 << 16;

struct Receipt {
  Claim claim;
  ReceiptCore core;
  Signature signature = {};
};

// The in-toto statement: what is signed, in its DSSE encoding.
std::string StatementOf(const Claim& claim, const ReceiptCore& core);
std::string SignedBytes(const Claim& claim, const ReceiptCore& core);

// `core.claim` and `core.key` are filled in.
Receipt SignReceipt(const Claim& claim, ReceiptCore core, const SigningKey& key);

// The same by a key that somebody else holds, such as a token. Errors: those of `sign`.
using SignBytes = std::function<absl::StatusOr<Signature>(std::span<const uint8_t> message)>;
absl::StatusOr<Receipt> SignReceipt(const Claim& claim, ReceiptCore core, const Digest& key_id,
                                    const SignBytes& sign);

std::string ToJson(const Receipt& receipt);

// The receipt that ToJson wrote. The signature is not checked. Errors: receipt_form; those of DecodeClaim and
// DecodeReceiptCore.
absl::StatusOr<Receipt> ReceiptFromJson(std::string_view text);

}  // namespace tally
