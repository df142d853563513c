#include "proof/verify/verify_receipt.h"

#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/strings.h"
#include "ops/reference.h"
#include "proof/labels.h"

namespace tally {
namespace {

Finding<Standing> StandingOf(const Receipt& receipt, const Evidence& evidence) {
  const auto refuted = [](Label label, std::string_view message) {
    return Finding<Standing>{Standing::kRefuted, MakeError(label, message)};
  };
  const auto unverifiable = [](Label label, std::string_view message) {
    return Finding<Standing>{Standing::kUnverifiable, MakeError(label, message)};
  };
  const ReceiptCore& core = receipt.core;
  if (core.claim != ClaimId(receipt.claim)) {
    return refuted(label::receipt_claim, absl::StrCat("the core is for claim ", ToHex(core.claim),
                                                      ", the claim is ", ToHex(ClaimId(receipt.claim))));
  }
  if (evidence.nonce && core.nonce != evidence.nonce) {
    return refuted(label::receipt_nonce,
                   absl::StrCat("the receipt has ", core.nonce ? "nonce " + ToHex(*core.nonce) : "no nonce"));
  }
  if (evidence.results && receipt.claim.results != evidence.results) {
    return refuted(label::receipt_results,
                   absl::StrCat("the results at hand are ", ToHex(*evidence.results), ", the receipt names ",
                                receipt.claim.results ? ToHex(*receipt.claim.results) : "none"));
  }
  if (evidence.origin &&
      (core.origin != OriginDigest(*evidence.origin) || evidence.origin->module != receipt.claim.module)) {
    return refuted(label::receipt_origin,
                   "the receipt names another origin, or the one at hand another module");
  }
  if (!evidence.key) return unverifiable(label::receipt_unchecked, "no public key is given");
  if (core.key != evidence.key->id()) {
    return unverifiable(label::receipt_key, absl::StrCat("the receipt is signed with key ", ToHex(core.key)));
  }
  if (!evidence.key->Verifies(AsBytes(SignedBytes(receipt.claim, core)), receipt.signature))
    return refuted(label::receipt_signature, "the signature is not one of this receipt by this key");
  return {Standing::kVerified, absl::OkStatus()};
}

Finding<Recomputation> NotAtHand() {
  return {Recomputation::kCannotRecompute,
          MakeError(label::claim_unchecked, "no module and inputs are given")};
}

}  // namespace

std::string_view NameOf(Standing standing) {
  switch (standing) {
    case Standing::kVerified: return "VERIFIED";
    case Standing::kRefuted: return "REFUTED";
    case Standing::kUnverifiable: break;
  }
  return "UNVERIFIABLE";
}

absl::Status ConvictsSigner(const Conviction& conviction, const Receipt& receipt,
                            const std::optional<Digest>& expansion) {
  const auto other = [](std::string_view what) { return MakeError(label::dispute_other, what); };
  if (conviction.claim != ClaimId(receipt.claim)) return other("the certificate convicts another claim");
  if (conviction.trace && conviction.trace != receipt.core.trace)
    return other("the certificate convicts the claim with a trace that the receipt does not name");
  if (conviction.columns && conviction.columns != expansion)
    return other(absl::StrCat("the certificate convicts whoever has answered with expansion ",
                              ToHex(*conviction.columns), " in a dispute"));
  return absl::OkStatus();
}

std::vector<std::string_view> NamesOf(const Compared& compared) {
  std::vector<std::string_view> names;
  const std::pair<bool, std::string_view> all[] = {{compared.module, "module"},
                                                   {compared.inputs, "inputs"},
                                                   {compared.results, "results"},
                                                   {compared.trace, "trace"},
                                                   {compared.certificate, "certificate"}};
  for (const auto& [is, name] : all) {
    if (is) names.push_back(name);
  }
  return names;
}

Verdict VerifyReceipt(const Receipt& receipt, const Evidence& evidence) {
  Verdict verdict = {StandingOf(receipt, evidence), NotAtHand()};
  const bool refuted = verdict.standing.word == Standing::kRefuted;
  verdict.compared.results = evidence.results.has_value() && !refuted;
  if (!evidence.certificate || refuted) return verdict;
  const absl::StatusOr<Conviction> conviction = CheckCertificate<TrappingInt>(*evidence.certificate);
  const absl::Status why_not =
      conviction.ok() ? ConvictsSigner(*conviction, receipt, evidence.expansion) : conviction.status();
  if (why_not.ok()) {
    // A receipt that nobody has checked the signature of has no signer yet.
    const bool is_signed = verdict.standing.word == Standing::kVerified;
    if (is_signed) {
      verdict.standing = {Standing::kRefuted, MakeError(label::receipt_convicted, conviction->what)};
    } else {
      verdict.certificate = "it convicts the claim, whose signature is not verified";
    }
    return verdict;
  }
  verdict.compared.certificate = true;
  verdict.certificate = std::string(why_not.message());
  return verdict;
}

void AddRecomputation(const Receipt& receipt, Finding<Recomputation> found, Verdict* verdict) {
  if (found.word == Recomputation::kReproduced) {
    Compared& compared = verdict->compared;
    compared.module = compared.inputs = true;
    compared.results |= receipt.claim.results.has_value();
    compared.trace = receipt.core.trace.has_value();
  }
  verdict->recomputation = std::move(found);
}

Verdict UnknownVersion(const absl::Status& refusal) {
  return {{Standing::kUnverifiable, refusal}, NotAtHand()};
}

Finding<Recomputation> Recompute(const Receipt& receipt, const ClaimedModule& claimed, const Plan& plan,
                                 std::span<const TensorView> inputs, const ExecuteOptions& limits) {
  const std::optional<Digest>& trace = receipt.core.trace;
  return FindingFor(trace, RecomputeClaim(receipt.claim, claimed, plan, inputs, limits, trace.has_value()));
}

}  // namespace tally
