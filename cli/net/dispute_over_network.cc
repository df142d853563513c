#include "cli/net/dispute_over_network.h"

#include <openssl/rand.h>

#include <iostream>
#include <utility>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/dispute_report.h"
#include "cli/labels.h"
#include "cli/net/challenged_run.h"
#include "cli/net/dispute_on_chain.h"
#include "cli/receipt_file.h"
#include "cli/run_folder.h"
#include "proof/labels.h"
#include "proof/verify/verify_receipt.h"
#include "server/dispute/challenge.h"
#include "server/dispute/remote_dispute.h"
#include "server/referee.h"
#include "server/token_file.h"

namespace tally::cli {
namespace {

// The id of a dispute: that of the options, or a new one.
absl::StatusOr<Digest> IdOf(const DisputeOptions& options) {
  ASSIGN_OR_RETURN(const std::optional<Digest> given, ParseDigestOption("--id", options.id));
  if (given) return *given;
  Digest id = {};
  if (RAND_bytes(id.data(), static_cast<int>(id.size())) != 1)
    return MakeError(label::internal, "the system has no random numbers");
  return id;
}

bool Agree(const Receipt& receipt, const RecordedRun& honest) {
  return receipt.claim == honest.claim &&
         (!receipt.core.trace || *receipt.core.trace == TraceDigest(honest.trace));
}

// The receipt, signed with the key of the options where there is one.
absl::StatusOr<Receipt> ReceiptOf(const DisputeOptions& options, const std::string& text) {
  ASSIGN_OR_RETURN(Receipt receipt, ReceiptFromJson(text));
  if (options.key.empty()) return receipt;
  ASSIGN_OR_RETURN(PublicKey key, ReadPublicKey(options.key));
  const Verdict verdict = VerifyReceipt(receipt, {.key = std::move(key)});
  if (verdict.standing.word != Standing::kVerified) return verdict.standing.why;
  return receipt;
}

absl::Status ChallengeOther(const DisputeOptions& options, std::ostream& out) {
  if (options.module.empty()) return MakeError(label::usage, "--against requires --module");
  ASSIGN_OR_RETURN(server::HttpTarget target, server::HttpTarget::Of(options.against));
  target.authority = options.authority;
  ASSIGN_OR_RETURN(const std::string token, server::ReadTokenFile(options.token));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> read, ReadFile(options.receipt, kMaxReceiptBytes));
  const std::string text(AsText(read));
  ASSIGN_OR_RETURN(const Receipt receipt, ReceiptOf(options, text));
  ASSIGN_OR_RETURN(const ChallengedRun honest, RunForClaim(options.module, options.inputs, receipt.claim));
  if (Agree(receipt, honest.run)) return PartiesAgree();
  ASSIGN_OR_RETURN(const Digest id, IdOf(options));
  std::cerr << "dispute " << ToHex(id) << "\n";
  server::RemoteDispute remote(std::move(target), token, std::chrono::seconds(options.timeout));
  ASSIGN_OR_RETURN(const server::Challenged challenged,
                   server::Challenge(remote, id, receipt, text, *honest.claimed, honest.run));
  if (!challenged.played.end) return PartiesAgree();
  return ReportDispute(challenged.played, challenged.verdict, options.output, options.json, out);
}

absl::Status ServeFolder(const DisputeOptions& options) {
  auto run = std::make_shared<server::AssertedRun>();
  ASSIGN_OR_RETURN(run->module, ReadModuleOfFolder(options.serve));
  run->claimed = std::make_unique<const ClaimedModule>(*run->module);
  ASSIGN_OR_RETURN(run->run, ReadRunFolder(options.serve));
  return server::RunAsserter(options.asserter, std::move(run));
}

}  // namespace

absl::Status DisputeOverNetwork(const DisputeOptions& options, std::ostream& out) {
  if (!options.folders.honest.empty() || !options.folders.claimed.empty() ||
      (!options.against.empty() && (!options.serve.empty() || !options.chain.url.empty())))
    return MakeError(label::usage,
                     "--against, --chain, --serve, and --honest with --claimed are four ways: give one");
  if (!options.chain.url.empty()) return DisputeOnChain(options, out);
  return options.serve.empty() ? ChallengeOther(options, out) : ServeFolder(options);
}

}  // namespace tally::cli
