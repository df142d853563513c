#include "server/dispute/challenge.h"

#include <variant>

#include "base/error.h"
#include "base/status_macros.h"
#include "proof/dispute/challenger.h"
#include "proof/labels.h"

namespace tally::server {
namespace {

// The verdict of a service that is a referee: an asserter does not judge itself.
absl::StatusOr<std::string> VerdictOf(absl::StatusOr<std::string> verdict) {
  return HasLabel(verdict.status(), label::dispute_turn) ? std::string() : std::move(verdict);
}

// The end for an asserter that has sent what is no message.
DisputeEnd NoMessage(const absl::Status& why) {
  return {Party::kAsserter, MakeError(label::dispute_answer, std::string(why.message())), std::nullopt};
}

}  // namespace

absl::StatusOr<Challenged> Challenge(DisputeService& service, const Digest& id, const Receipt& receipt,
                                     const std::string& text, const ClaimedModule& claimed,
                                     const RecordedRun& honest) {
  Challenged challenged;
  PlayedDispute& played = challenged.played;
  ASSIGN_OR_RETURN(const std::vector<uint8_t> opening, service.Begin(id, text));
  played.opening_bytes = opening.size();
  absl::StatusOr<DisputeOpening> opened = DecodeDisputeOpening(opening);
  if (!opened.ok()) {
    played.end = NoMessage(opened.status());
    return challenged;
  }
  played.opening = *std::move(opened);
  ASSIGN_OR_RETURN(DisputeReferee referee,
                   DisputeReferee::Of({receipt.claim, claimed.bounds, receipt.core.trace}, played.opening));
  if (referee.end()) {
    played.end = referee.end();
    return challenged;
  }
  Challenger challenger(claimed, honest, played.opening);
  ASSIGN_OR_RETURN(Move move, challenger.Begin());
  for (int step = 1; const Query* query = std::get_if<Query>(&move); ++step) {
    DisputeRound round{.query = *query, .answer = {}};
    const std::vector<uint8_t> asked = EncodeQuery(*query);
    RETURN_IF_ERROR(referee.Ask(*query));
    ASSIGN_OR_RETURN(const std::vector<uint8_t> answer, service.Ask(id, step, asked));
    round.query_bytes = asked.size();
    round.answer_bytes = answer.size();
    absl::StatusOr<Answer> decoded = DecodeAnswer(answer);
    if (!decoded.ok()) {
      played.end = NoMessage(decoded.status());
      return challenged;
    }
    round.answer = *std::move(decoded);
    RETURN_IF_ERROR(referee.Answer(round.answer));
    played.rounds.push_back(round);
    if (referee.end()) break;
    ASSIGN_OR_RETURN(move, challenger.Hear(round.answer));
  }
  if (const auto* certificate = std::get_if<Certificate>(&move)) {
    played.certificate = EncodeCertificate(*certificate);
    RETURN_IF_ERROR(referee.Convict(played.certificate));
    ASSIGN_OR_RETURN(challenged.verdict, VerdictOf(service.Convict(id, played.certificate)));
  }
  played.end = referee.end();
  return challenged;
}

}  // namespace tally::server
