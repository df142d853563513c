#include "cli/net/dispute_on_chain.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/dispute_folders.h"
#include "cli/dispute_report.h"
#include "cli/labels.h"
#include "cli/net/challenged_run.h"
#include "cli/run_folder.h"
#include "cli/summary.h"
#include "proof/labels.h"
#include "server/chain/chain_asserter.h"
#include "server/chain/chain_dispute.h"
#include "server/dispute/challenge.h"

namespace tally::cli {
namespace {

using server::ChainClient;
using server::ChainGame;

// A dispute of ours about a claim that somebody else has convicted returns its bond; and so does one that has
// ended. What the account is owed is withdrawn.
absl::Status TakeBonds(ChainGame& game, const server::ChainDispute& dispute, uint64_t claim) {
  ASSIGN_OR_RETURN(const server::GameDispute state, game.Dispute(dispute.number()));
  ASSIGN_OR_RETURN(const server::GameClaim of, game.Claim(claim));
  if (state.exists() && of.status == server::ClaimStatus::kConvicted)
    RETURN_IF_ERROR(game.Release(dispute.number()));
  return game.Withdraw();
}

absl::Status ChallengeClaim(const DisputeOptions& options, ChainGame& game, std::ostream& out) {
  if (options.chain.claim == 0 || options.module.empty())
    return MakeError(label::usage, "--chain needs --claim and --module to challenge, or --serve to claim");
  ASSIGN_OR_RETURN(server::PostedClaim posted,
                   server::FindClaim(game, options.chain.claim, options.chain.from_block));
  ASSIGN_OR_RETURN(const DisputeOpening opening, DecodeDisputeOpening(posted.opening));
  ASSIGN_OR_RETURN(const ChallengedRun honest, RunForClaim(options.module, options.inputs, opening.claim));
  // No certificate convicts of other bounds, and no contract that names its module's acts on the claim.
  if (opening.claim.bounds != honest.claimed->bounds)
    return MakeError(label::dispute_bounds, "the claim has other bounds than its module: it is not disputed");
  if (opening.claim == honest.run.claim && opening.trace() == TraceDigest(honest.run.trace))
    return PartiesAgree();
  const Receipt receipt = {.claim = opening.claim, .core = {.trace = opening.trace()}};
  server::ChainDispute dispute(game, std::move(posted), options.chain.dispute);
  auto challenged = server::Challenge(dispute, {}, receipt, "", *honest.claimed, honest.run);
  if (dispute.number() != 0) {
    std::cerr << "dispute " << dispute.number() << "\n";
    RETURN_IF_ERROR(TakeBonds(game, dispute, options.chain.claim));
  }
  RETURN_IF_ERROR(challenged.status());
  return ReportDispute(challenged->played, challenged->verdict, options.output, options.json, out);
}

absl::Status ServeClaim(const DisputeOptions& options, ChainGame& game, std::ostream& out) {
  server::AssertedRun run;
  ASSIGN_OR_RETURN(run.module, ReadModuleOfFolder(options.serve));
  run.claimed = std::make_unique<const ClaimedModule>(*run.module);
  ASSIGN_OR_RETURN(run.run, ReadRunFolder(options.serve));
  ASSIGN_OR_RETURN(
      const server::AssertedOnChain asserted,
      server::AssertOnChain(game, run, {.claim = options.chain.claim, .from_block = options.chain.from_block},
                            [](const std::string& event) { std::cerr << event << std::endl; }));
  Summary summary;
  summary.Add("claim", "claim", asserted.claim);
  summary.Say("verdict", asserted.confirmed ? "confirmed" : absl::StrCat("convicted: ", asserted.why),
              "confirmed", asserted.confirmed);
  summary.AddForMachines("why", asserted.why);
  summary.Add("disputes", "disputes", asserted.disputes);
  summary.Add("answers", "answers", asserted.answers);
  summary.Add("transactions", "transactions", game.transactions());
  summary.Add("gas", "gas", game.gas());
  summary.Add("most gas", "most_gas", game.largest(), "of one transaction");
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

absl::Status DisputeOnChain(const DisputeOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(server::HttpTarget target, server::HttpTarget::Of(options.chain.url));
  target.authority = options.authority;
  ASSIGN_OR_RETURN(const server::Address contract, server::ParseAddress(options.chain.contract));
  ASSIGN_OR_RETURN(server::Account account, server::Account::Open(options.chain.account));
  ChainClient chain(std::move(target), std::move(account), std::chrono::seconds(options.timeout));
  ASSIGN_OR_RETURN(ChainGame game, ChainGame::At(chain, contract));
  return options.serve.empty() ? ChallengeClaim(options, game, out) : ServeClaim(options, game, out);
}

}  // namespace tally::cli
