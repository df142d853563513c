#include "server/dispute/asserter_host.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "server/labels.h"

namespace tally::server {
namespace {

constexpr size_t kMostSessions = 4;

}  // namespace

absl::StatusOr<std::unique_ptr<AsserterHost::Session>> AsserterHost::Open(const Digest& id,
                                                                          const std::string& text) {
  ASSIGN_OR_RETURN(const Receipt receipt, ReceiptFromJson(text));
  auto session = std::make_unique<Session>();
  session->id = id;
  ASSIGN_OR_RETURN(session->run, runs_.Of(receipt, text));
  session->asserter = std::make_unique<Asserter>(*session->run->claimed, session->run->run);
  const DisputedClaim disputed = {receipt.claim, session->run->claimed->bounds, receipt.core.trace};
  ASSIGN_OR_RETURN(DisputeReferee referee, DisputeReferee::Of(disputed, session->asserter->opening()));
  session->referee = std::make_unique<DisputeReferee>(std::move(referee));
  return session;
}

absl::StatusOr<std::vector<uint8_t>> AsserterHost::Reply(Session& session, std::span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(const Query query, DecodeQuery(bytes));
  RETURN_IF_ERROR(session.referee->Ask(query));
  ASSIGN_OR_RETURN(const Answer answer, session.asserter->Reply(query));
  RETURN_IF_ERROR(session.referee->Answer(answer));
  ++session.steps;
  return EncodeAnswer(answer);
}

AsserterHost::Session* AsserterHost::Keep(std::unique_ptr<Session> session) {
  sessions_.push_front(std::move(session));
  if (sessions_.size() > kMostSessions) sessions_.pop_back();
  return sessions_.front().get();
}

absl::StatusOr<AsserterHost::Session*> AsserterHost::Find(const Digest& id, const LoggedDispute& logged) {
  const auto found = std::ranges::find(sessions_, id, [](const auto& session) { return session->id; });
  if (found != sessions_.end() && (*found)->steps == static_cast<int>(logged.rounds.size())) {
    sessions_.splice(sessions_.begin(), sessions_, found);
    return sessions_.front().get();
  }
  if (found != sessions_.end()) sessions_.erase(found);  // another server has answered meanwhile
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Open(id, logged.receipt));
  for (const auto& [query, answer] : logged.rounds) RETURN_IF_ERROR(Reply(*session, query).status());
  return Keep(std::move(session));
}

absl::StatusOr<std::vector<uint8_t>> AsserterHost::Begin(const Digest& id, const std::string& receipt) {
  ASSIGN_OR_RETURN(const std::optional<LoggedDispute> logged, log_.Find(id));
  if (logged && logged->receipt != receipt)
    return MakeError(label::dispute_turn, "a dispute with this id is about another receipt");
  if (logged) return logged->opening;
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Open(id, receipt));
  std::vector<uint8_t> opening = EncodeDisputeOpening(session->asserter->opening());
  RETURN_IF_ERROR(log_.Begin(id, {.receipt = receipt, .opening = opening}));
  Keep(std::move(session));
  return opening;
}

absl::StatusOr<std::vector<uint8_t>> AsserterHost::Ask(const Digest& id, int step,
                                                       std::span<const uint8_t> query) {
  ASSIGN_OR_RETURN(const LoggedDispute logged, log_.Get(id));
  ASSIGN_OR_RETURN(std::vector<uint8_t> again, AnswerAgain(logged, step, query));
  if (!again.empty()) return again;
  ASSIGN_OR_RETURN(Session* const session, Find(id, logged));
  ASSIGN_OR_RETURN(std::vector<uint8_t> answer, Reply(*session, query));
  RETURN_IF_ERROR(log_.AddRound(id, step, {query.begin(), query.end()}, answer, 0, 0));
  return answer;
}

absl::StatusOr<std::string> AsserterHost::Convict(const Digest& id, std::span<const uint8_t>) {
  RETURN_IF_ERROR(log_.Get(id).status());
  // A party's word on its own case is worth nothing: a referee or anybody with the certificate judges.
  return MakeError(label::dispute_turn, "the asserter does not judge: give the certificate to a referee");
}

absl::StatusOr<std::string> AsserterHost::Verdict(const Digest& id) {
  ASSIGN_OR_RETURN(const LoggedDispute logged, log_.Get(id));
  return logged.verdict;
}

}  // namespace tally::server
