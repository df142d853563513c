#include "examples/digits/show_receipt.h"

#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "engines/engine.h"
#include "examples/digits/labels.h"
#include "examples/digits/require.h"
#include "proof/verify/verify_receipt.h"

namespace tally::digits {
namespace {

constexpr std::string_view kExecutor = "cpu", kAuditor = "formal";

void Print(const char* what, std::string_view outcome, const absl::Status& why) {
  const std::string reason = ErrorLabel(why);
  std::printf("  %-46s %s%s\n", what, std::string(outcome).c_str(),
              reason.empty() ? "" : (" (" + reason + ")").c_str());
}

}  // namespace

absl::Status ShowReceipt(const std::shared_ptr<const ValidModule>& module, const TensorView& image) {
  const ClaimedModule claimed(*module);
  const TensorView inputs[] = {image};
  ASSIGN_OR_RETURN(const auto executor, MakePlan(kExecutor, module));
  ASSIGN_OR_RETURN(const auto auditor, MakePlan(kAuditor, module));
  ASSIGN_OR_RETURN(const SigningKey key, SigningKey::Generate());
  ASSIGN_OR_RETURN(const Claim claim, ClaimOfRun(claimed, inputs, executor->Execute(inputs, {}), {}));
  const ReceiptCore core = {.nonce = {}, .issued_at = SecondsSince1970()};
  const Receipt receipt = SignReceipt(claim, core, key);
  const std::string file = ToJson(receipt);
  const Evidence evidence = {.key = key.public_key(), .nonce = {}, .results = {}, .origin = {}};
  std::printf("\n  the first image, run on %s and signed: a receipt of %zu bytes\n    claim %s\n",
              std::string(kExecutor).c_str(), file.size(), ToHex(ClaimId(claim)).c_str());

  const Finding<Standing> standing = VerifyReceipt(receipt, evidence).standing;
  const Finding<Recomputation> again = Recompute(receipt, claimed, *auditor, inputs);
  Print("its signature", NameOf(standing.word), standing.why);
  Print("the claim, run again on formal", NameOf(again.word), again.why);
  RETURN_IF_ERROR(Require(standing.why.ok() && again.why.ok(), label::demo_receipt,
                          "an honest receipt was not accepted"));

  std::string damaged = file;
  damaged[damaged.size() / 2] = damaged[damaged.size() / 2] == 'A' ? 'B' : 'A';
  const absl::StatusOr<Receipt> read = ReceiptFromJson(damaged);
  const absl::Status seen = read.ok() ? VerifyReceipt(*read, evidence).standing.why : read.status();
  Print("one byte of the file changed", "refused", seen);
  RETURN_IF_ERROR(Require(!seen.ok(), label::demo_receipt, "a damaged receipt was accepted"));

  Claim lie = claim;
  (*lie.results)[0] ^= 1;
  const Receipt of_lie = SignReceipt(lie, core, key);
  const Finding<Recomputation> caught = Recompute(of_lie, claimed, *auditor, inputs);
  const Finding<Standing> signed_lie = VerifyReceipt(of_lie, evidence).standing;
  Print("another result claimed and signed: signature", NameOf(signed_lie.word), signed_lie.why);
  Print("  and the claim, run again on formal", NameOf(caught.word), caught.why);
  return Require(caught.word == Recomputation::kDiverged, label::demo_receipt,
                 "a false claim was not caught");
}

}  // namespace tally::digits
