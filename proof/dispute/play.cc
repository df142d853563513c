#include "proof/dispute/play.h"

#include <chrono>
#include <utility>
#include <variant>

#include "base/status_macros.h"
#include "proof/dispute/asserter.h"
#include "proof/dispute/challenger.h"

namespace tally {
namespace {

// The result of f(); the nanoseconds that it took are added.
template <typename F>
auto Timed(int64_t* ns, F f) {
  const auto begin = std::chrono::steady_clock::now();
  auto value = f();
  *ns += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  return value;
}

}  // namespace

absl::StatusOr<PlayedDispute> PlayDispute(const ClaimedModule& claimed, const RecordedRun& honest,
                                          const RecordedRun& accused,
                                          const std::function<void(const DisputeRound&)>& show,
                                          int64_t most_direct) {
  PlayedDispute played;
  const auto asserter =
      Timed(&played.asserter_ns, [&] { return std::make_unique<Asserter>(claimed, accused); });
  const std::vector<uint8_t> opening = EncodeDisputeOpening(asserter->opening());
  played.opening_bytes = opening.size();
  ASSIGN_OR_RETURN(played.opening, DecodeDisputeOpening(opening));
  ASSIGN_OR_RETURN(DisputeReferee referee,
                   DisputeReferee::Of({accused.claim, claimed.bounds, std::nullopt}, played.opening));
  if (referee.end()) {
    played.end = referee.end();
    return played;
  }
  const auto challenger = Timed(&played.challenger_ns, [&] {
    return std::make_unique<Challenger>(claimed, honest, played.opening, most_direct);
  });
  ASSIGN_OR_RETURN(Move move, Timed(&played.challenger_ns, [&] { return challenger->Begin(); }));
  while (const Query* asked = std::get_if<Query>(&move)) {
    DisputeRound round;
    const std::vector<uint8_t> query = EncodeQuery(*asked);
    ASSIGN_OR_RETURN(round.query, DecodeQuery(query));
    RETURN_IF_ERROR(Timed(&played.referee_ns, [&] { return referee.Ask(round.query); }));
    ASSIGN_OR_RETURN(const Answer reply,
                     Timed(&played.asserter_ns, [&] { return asserter->Reply(round.query); }));
    const std::vector<uint8_t> answer = EncodeAnswer(reply);
    ASSIGN_OR_RETURN(round.answer, DecodeAnswer(answer));
    round.query_bytes = query.size();
    round.answer_bytes = answer.size();
    RETURN_IF_ERROR(Timed(&played.referee_ns, [&] { return referee.Answer(round.answer); }));
    played.rounds.push_back(round);
    if (show) show(round);
    if (referee.end()) break;
    ASSIGN_OR_RETURN(move, Timed(&played.challenger_ns, [&] { return challenger->Hear(round.answer); }));
  }
  if (const auto* certificate = std::get_if<Certificate>(&move)) {
    played.certificate = EncodeCertificate(*certificate);
    RETURN_IF_ERROR(Timed(&played.referee_ns, [&] { return referee.Convict(played.certificate); }));
  }
  played.end = referee.end();
  return played;
}

}  // namespace tally
