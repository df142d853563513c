#include "server/dispute/referee_host.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "server/labels.h"

namespace tally::server {
namespace {

// Milliseconds since 1970.
int64_t Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

DisputeEnd TimeOutOf(Party party) {
  return {party, MakeError(label::dispute_time, "the party has spent its time"), std::nullopt};
}

}  // namespace

absl::StatusOr<DisputedClaim> RefereeHost::Disputed(const std::string& text) const {
  ASSIGN_OR_RETURN(const Receipt receipt, ReceiptFromJson(text));
  if (receipt.core.claim != ClaimId(receipt.claim) || receipt.core.key != terms_.key.id() ||
      !terms_.key.Verifies(AsBytes(SignedBytes(receipt.claim, receipt.core)), receipt.signature))
    return MakeError(label::receipt_signature, "the receipt is not one that the asserter has signed");
  const auto bounds = terms_.bounds.find(receipt.claim.module);
  if (bounds == terms_.bounds.end())
    return MakeError(label::receipt_unknown, "the receipt is about a module that is not judged for");
  if (terms_.window_seconds > 0 &&
      static_cast<int64_t>(receipt.core.issued_at) + terms_.window_seconds < Now() / 1000)
    return MakeError(label::receipt_unknown, "the receipt is too old to be disputed");
  return DisputedClaim{receipt.claim, bounds->second, receipt.core.trace};
}

absl::StatusOr<DisputeReferee> RefereeHost::Replay(const LoggedDispute& dispute) const {
  ASSIGN_OR_RETURN(const DisputedClaim disputed, Disputed(dispute.receipt));
  ASSIGN_OR_RETURN(DisputeOpening opening, DecodeDisputeOpening(dispute.opening));
  ASSIGN_OR_RETURN(DisputeReferee referee, DisputeReferee::Of(disputed, std::move(opening)));
  for (const auto& [asked, answered] : dispute.rounds) {
    ASSIGN_OR_RETURN(const Query query, DecodeQuery(asked));
    ASSIGN_OR_RETURN(const Answer answer, DecodeAnswer(answered));
    RETURN_IF_ERROR(referee.Ask(query));
    RETURN_IF_ERROR(referee.Answer(answer));
  }
  return referee;
}

absl::StatusOr<std::string> RefereeHost::End(const Digest& id, const DisputeEnd& end) {
  nlohmann::ordered_json verdict = {{"dispute", ToHex(id)},
                                    {"loser", end.loser == Party::kAsserter ? "asserter" : "challenger"},
                                    {"reason", end.conviction ? "convicted" : ErrorLabel(end.why)}};
  if (!end.conviction) verdict["message"] = Printable(std::string(end.why.message()));
  if (end.conviction) {
    verdict["what"] = end.conviction->what;
    verdict["claim_id"] = ToHex(end.conviction->claim);
    if (end.conviction->trace) verdict["trace"] = ToHex(*end.conviction->trace);
    if (end.conviction->columns) verdict["expansion"] = ToHex(*end.conviction->columns);
  }
  RETURN_IF_ERROR(log_.End(id, verdict.dump()));
  ASSIGN_OR_RETURN(const LoggedDispute ended, log_.Get(id));  // the first verdict stays
  observe_(ended.verdict);
  return ended.verdict;
}

absl::Status RefereeHost::AsserterLost(const Digest& id, const absl::Status& why) {
  RETURN_IF_ERROR(End(id, {Party::kAsserter, why, std::nullopt}).status());
  return why;
}

absl::StatusOr<LoggedDispute> RefereeHost::InTime(const Digest& id) {
  ASSIGN_OR_RETURN(LoggedDispute dispute, log_.Get(id));
  if (dispute.verdict.empty() && dispute.deadline < Now()) {
    ASSIGN_OR_RETURN(dispute.verdict, End(id, TimeOutOf(Party::kChallenger)));
  }
  return dispute;
}

absl::StatusOr<std::vector<uint8_t>> RefereeHost::Begin(const Digest& id, const std::string& receipt) {
  ASSIGN_OR_RETURN(const std::optional<LoggedDispute> logged, log_.Find(id));
  if (logged && logged->receipt != receipt)
    return MakeError(label::dispute_turn, "a dispute with this id is about another receipt");
  if (logged) return logged->opening;
  ASSIGN_OR_RETURN(const DisputedClaim disputed, Disputed(receipt));
  if (disputed.claim.status != kRan)
    return MakeError(label::dispute_claim, "the claim is of a run that was refused: run its inputs again");
  const int64_t budget = terms_.seconds * 1000, begun = Now();
  const auto opening = asserter_(std::chrono::milliseconds(budget))->Begin(id, receipt);
  RETURN_IF_ERROR(log_.Begin(id, {.receipt = receipt,
                                  .opening = opening.ok() ? *opening : SqlBytes(),
                                  .deadline = Now() + budget,
                                  .left_ms = budget - (Now() - begun)}));
  if (!opening.ok()) return AsserterLost(id, opening.status());
  absl::StatusOr<DisputeOpening> decoded = DecodeDisputeOpening(*opening);
  if (!decoded.ok())
    return AsserterLost(id, MakeError(label::dispute_opening, std::string(decoded.status().message())));
  ASSIGN_OR_RETURN(const DisputeReferee referee, DisputeReferee::Of(disputed, *std::move(decoded)));
  if (referee.end()) RETURN_IF_ERROR(End(id, *referee.end()).status());
  return *opening;
}

absl::StatusOr<std::vector<uint8_t>> RefereeHost::Ask(const Digest& id, int step,
                                                      std::span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(const LoggedDispute dispute, InTime(id));
  ASSIGN_OR_RETURN(std::vector<uint8_t> again, AnswerAgain(dispute, step, bytes));
  if (!again.empty()) return again;
  if (!dispute.verdict.empty()) return MakeError(label::dispute_turn, "the dispute is over");
  ASSIGN_OR_RETURN(DisputeReferee referee, Replay(dispute));
  ASSIGN_OR_RETURN(const Query query, DecodeQuery(bytes));
  RETURN_IF_ERROR(referee.Ask(query));
  const int64_t asked = Now(), challenger_left = dispute.deadline - asked;
  const std::chrono::milliseconds left(std::max<int64_t>(dispute.left_ms, 0));
  const absl::StatusOr<std::vector<uint8_t>> answer = asserter_(left)->Ask(id, step, bytes);
  if (!answer.ok()) return AsserterLost(id, answer.status());
  const absl::StatusOr<Answer> decoded = DecodeAnswer(*answer);
  if (!decoded.ok())
    return AsserterLost(id, MakeError(label::dispute_answer, std::string(decoded.status().message())));
  RETURN_IF_ERROR(referee.Answer(*decoded));
  RETURN_IF_ERROR(log_.AddRound(id, step, {bytes.begin(), bytes.end()}, *answer, Now() + challenger_left,
                                left.count() - (Now() - asked)));
  if (referee.end()) RETURN_IF_ERROR(End(id, *referee.end()).status());
  return *answer;
}

absl::StatusOr<std::string> RefereeHost::Convict(const Digest& id, std::span<const uint8_t> certificate) {
  ASSIGN_OR_RETURN(const LoggedDispute dispute, InTime(id));
  if (!dispute.verdict.empty()) return dispute.verdict;
  ASSIGN_OR_RETURN(DisputeReferee referee, Replay(dispute));
  RETURN_IF_ERROR(referee.Convict(certificate));
  return End(id, *referee.end());
}

absl::StatusOr<std::string> RefereeHost::Verdict(const Digest& id) {
  ASSIGN_OR_RETURN(const LoggedDispute dispute, InTime(id));
  return dispute.verdict;
}

}  // namespace tally::server
