#include "cli/run_signer.h"

#include "base/error.h"
#include "base/status_macros.h"
#include "cli/labels.h"
#include "cli/origin_file.h"
#include "cli/receipt_file.h"
#include "proof/audit/keep_run.h"

namespace tally::cli {

absl::StatusOr<RunSigner> RunSigner::Open(const ReceiptOptions& receipt, const std::string& path,
                                          const ValidModule& module, int64_t samples, int64_t repeat) {
  if (receipt.key.empty())
    return MakeError(label::option_syntax, "--receipt needs --key, the private key that signs it");
  if (samples != 1)
    return MakeError(label::option_syntax, "--receipt is for one run: give one sample of each input");
  if (receipt.trace && repeat != 1)
    return MakeError(label::option_syntax, "--trace is for one run: leave out --repeat");
  ASSIGN_OR_RETURN(SigningKey key, ReadSigningKey(receipt.key));
  RunSigner signer(module, std::move(key), receipt);
  ASSIGN_OR_RETURN(signer.core_.nonce, ParseNonce(receipt.nonce));
  ASSIGN_OR_RETURN(const auto origin, ReadOriginBeside(path, signer.claimed_.id));
  if (origin) signer.core_.origin = OriginDigest(*origin);
  return signer;
}

absl::StatusOr<std::string> RunSigner::Sign(const Plan& plan, const std::vector<Tensor>& inputs,
                                            const absl::StatusOr<Outcome>& outcome,
                                            const ExecuteOptions& how) const {
  if (!store_.empty()) {
    std::vector<TensorView> views;
    for (const Tensor& tensor : inputs) views.push_back(tensor.view());
    RETURN_IF_ERROR(KeepRun(store_, claimed_.module, claimed_.id, views));
    if (products_ && outcome.ok()) {
      ASSIGN_OR_RETURN(const Claim claim, ClaimOfRun(claimed_, views, outcome, how));
      RETURN_IF_ERROR(KeepProducts(store_, ClaimId(claim), plan, views));
    }
  }
  ReceiptCore core = core_;
  if (traces_ && outcome.ok()) core.trace = TraceDigest(trace_);
  return SignRun(claimed_, inputs, outcome, how, key_, core);
}

}  // namespace tally::cli
