#include "proof/verify/verify_receipt.h"

#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/strings.h"
#include "ops/reference.h"
#include "proof/labels.h"
#include "proof/trace/trace.h"
#include "vm/labels.h"

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

// The limits under which the claim's run took place, as far as they made a difference.
ExecuteOptions LimitsOf(const Claim& claim) {
  ExecuteOptions options;
  if (claim.limit && *claim.limit <= static_cast<uint64_t>(options.gas_limit)) {
    const bool gas = claim.status == label::gas_limit.name();
    (gas ? options.gas_limit : options.memory_limit_bytes) = static_cast<int64_t>(*claim.limit);
  }
  return options;
}

Finding<Recomputation> Cannot(absl::Status why) { return {Recomputation::kCannotRecompute, std::move(why)}; }

Finding<Recomputation> Diverged(std::string_view message) {
  return {Recomputation::kDiverged, MakeError(label::claim_diverged, message)};
}

Finding<Recomputation> ComparedClaims(const Claim& claim, const absl::StatusOr<Claim>& mine) {
  if (!mine.ok()) return Cannot(mine.status());
  if (ClaimId(*mine) == ClaimId(claim)) return {Recomputation::kReproduced, absl::OkStatus()};
  return Diverged(absl::StrCat("the run gives claim ", ToHex(ClaimId(*mine)), " with status ", mine->status,
                               ", the receipt is for ", ToHex(ClaimId(claim)), " with status ",
                               claim.status));
}

Finding<Recomputation> ComparedTraces(const Digest& theirs, std::string_view mine) {
  if (ToHex(theirs) == mine) return {Recomputation::kReproduced, absl::OkStatus()};
  return {Recomputation::kDiverged,
          MakeError(label::trace_diverged, absl::StrCat("the trace of the run is ", ToAbsl(mine),
                                                        ", the receipt names ", ToHex(theirs)))};
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

std::string_view NameOf(Recomputation recomputation) {
  switch (recomputation) {
    case Recomputation::kReproduced: return "REPRODUCED";
    case Recomputation::kDiverged: return "DIVERGED";
    case Recomputation::kCannotRecompute: break;
  }
  return "CANNOT_RECOMPUTE";
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

std::optional<Finding<Recomputation>> FindWithoutRunning(const Receipt& receipt, const ClaimedModule& claimed,
                                                         std::span<const TensorView> inputs,
                                                         const ExecuteOptions& limits) {
  const Claim& claim = receipt.claim;
  if (claimed.id != claim.module) {
    return Cannot(MakeError(label::claim_module, absl::StrCat("the module at hand is ", ToHex(claimed.id))));
  }
  const ValidModule& module = claimed.module;
  if (InputsDigest(module, inputs) != claim.inputs) {
    return Cannot(MakeError(label::claim_inputs, "the inputs at hand are not those of the claim"));
  }
  if (claimed.bounds != claim.bounds) {
    return Diverged(absl::StrCat("the bounds of the module have digest ", ToHex(claimed.bounds),
                                 ", the receipt names ", ToHex(claim.bounds)));
  }
  const ExecuteOptions options = LimitsOf(claim);
  const absl::Status refusal = CheckRun(module, inputs, options);
  if (!refusal.ok()) {
    Finding<Recomputation> found = ComparedClaims(claim, ClaimOfRun(claimed, inputs, refusal, options));
    const bool traced = found.word == Recomputation::kReproduced && receipt.core.trace.has_value();
    return traced ? ComparedTraces(*receipt.core.trace, "none, as it is refused") : std::move(found);
  }
  if (claim.status != kRan || claim.gas != static_cast<uint64_t>(module.gas())) {
    return Diverged(absl::StrCat("the run takes place, for ", module.gas(),
                                 " gas; the receipt is for status ", claim.status, " and ", claim.gas,
                                 " gas"));
  }
  const absl::Status beyond = CheckRun(module, inputs, limits);
  if (!beyond.ok()) return Cannot(beyond);
  return std::nullopt;
}

Finding<Recomputation> Recompute(const Receipt& receipt, const ClaimedModule& claimed, const Plan& plan,
                                 std::span<const TensorView> inputs, const ExecuteOptions& limits) {
  if (auto found = FindWithoutRunning(receipt, claimed, inputs, limits)) return *std::move(found);
  const std::optional<Digest>& trace = receipt.core.trace;
  Trace mine;
  ExecuteOptions options;
  if (trace) options.root_observer = RecordInto(mine);
  Finding<Recomputation> found =
      ComparedClaims(receipt.claim, ClaimOfRun(claimed, inputs, plan.Execute(inputs, options), {}));
  if (!trace || found.word != Recomputation::kReproduced) return found;
  return ComparedTraces(*trace, ToHex(TraceDigest(mine)));
}

}  // namespace tally
