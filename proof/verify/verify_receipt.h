// The verdict on a receipt, from the evidence at hand (docs/spec/receipt.md#verdicts).
//
//   Verdict verdict = VerifyReceipt(receipt, {.key = key, .nonce = nonce});
//   verdict.recomputation = Recompute(receipt, claimed, *plan, inputs);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/tensor.h"
#include "proof/certificate/check_certificate.h"
#include "proof/receipt/claim_run.h"
#include "proof/receipt/origin.h"
#include "proof/receipt/receipt.h"
#include "proof/verify/recompute_claim.h"
#include "vm/plan.h"

namespace tally {

enum class Standing { kVerified, kRefuted, kUnverifiable };
std::string_view NameOf(Standing standing);  // VERIFIED, REFUTED, UNVERIFIABLE

// The parts of the evidence that a verdict has compared, and found as the receipt says.
struct Compared {
  bool module = false, inputs = false;  // by a recomputation
  bool results = false;                 // those at hand, or of the recomputation
  bool trace = false;                   // by a recomputation
  bool certificate = false;             // it was judged, and does not convict the receipt

  friend bool operator==(const Compared&, const Compared&) = default;
};
std::vector<std::string_view> NamesOf(const Compared& compared);  // "module", "inputs", ..

struct Verdict {
  Finding<Standing> standing;            // the receipt's: signature, digests, request, certificate
  Finding<Recomputation> recomputation;  // the claim's
  Compared compared = {};
  std::string certificate = {};  // why the certificate at hand does not convict the receipt, for people
};

struct Evidence {
  std::optional<PublicKey> key;                     // whose receipts are trusted
  std::optional<Nonce> nonce;                       // the request's
  std::optional<Digest> results;                    // an io-map of the results at hand
  std::optional<Origin> origin;                     // at hand: where the module is said to come from
  std::optional<std::vector<uint8_t>> certificate;  // a file that is said to convict the receipt
  std::optional<Digest> expansion;  // ColumnsDigest of the one that the signer has answered with in a dispute
};

// The verdict of a receipt that could be read; without a module nothing is recomputed. All evidence that is
// given is compared: a receipt is not verified where some of it is another's.
Verdict VerifyReceipt(const Receipt& receipt, const Evidence& evidence);

// Adds what a recomputation has found.
void AddRecomputation(const Receipt& receipt, Finding<Recomputation> found, Verdict* verdict);

// Why a conviction is not one of the signer of a receipt; OK where it is. Error dispute_other: the claim, the
// trace that the receipt names, or the expansion that the signer has sent is another.
absl::Status ConvictsSigner(const Conviction& conviction, const Receipt& receipt,
                            const std::optional<Digest>& expansion);

// That of a file: an object of a version that is not known is unverifiable, and everything else that is no
// receipt is an error.
Verdict UnknownVersion(const absl::Status& refusal);

// Runs the claim again, on any engine, unless it is decided without; and recomputes the trace where the
// receipt names one, which a run that was refused has not. `plan` is of claimed.module.
Finding<Recomputation> Recompute(const Receipt& receipt, const ClaimedModule& claimed, const Plan& plan,
                                 std::span<const TensorView> inputs, const ExecuteOptions& limits = {});

}  // namespace tally
