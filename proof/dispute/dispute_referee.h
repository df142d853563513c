// The referee of a dispute: a host that knows nothing but what the parties have said
// (docs/spec/dispute.md).
//
//   DisputeReferee referee(opening);
//   referee.Ask(query);            // the challenger's turn
//   referee.Answer(answer);        // the asserter's
//   referee.Convict(certificate);  // the challenger's last
//   referee.end()->loser;
//
// Who was to move and did not in time has lost (TimeOut); clocks and bonds are the host's.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "proof/certificate/check_certificate.h"
#include "proof/dispute/known_tree.h"
#include "proof/dispute/messages.h"

namespace tally {

// A challenger that asks more has to come up with its certificate.
inline constexpr int kMostQueries = 64;

enum class Party { kAsserter, kChallenger };

struct DisputeEnd {
  Party loser;
  absl::Status why;                      // OK where a certificate convicts the asserter
  std::optional<Conviction> conviction;  // then
};

class DisputeReferee {
 public:
  explicit DisputeReferee(DisputeOpening opening)
      : opening_(std::move(opening)), trace_(opening_.entries, opening_.trace_root) {}

  Party turn() const { return asked_ ? Party::kAsserter : Party::kChallenger; }
  const std::optional<DisputeEnd>& end() const { return end_; }
  int answers() const { return answers_; }

  // Error dispute_turn: it is not this party's turn, or the dispute is over; the message is as if it had not
  // been sent. So is a query that nothing can answer, error dispute_query. An answer that is not what the
  // asserter has committed to ends the dispute, and so does every certificate.
  absl::Status Ask(const Query& query);
  absl::Status Answer(const tally::Answer& answer);
  absl::Status Convict(std::span<const uint8_t> certificate);
  void TimeOut();

 private:
  absl::Status CheckTurn(Party party) const;
  KnownTree* TreeOf(Subject subject);
  bool IsAnswer(const tally::Answer& answer);
  bool LearnHeader(const Digest& digest, std::span<const uint8_t> header, std::optional<KnownTree>& tree);

  DisputeOpening opening_;
  KnownTree trace_;
  std::optional<KnownTree> value_, columns_, column_;
  std::optional<uint64_t> entry_;    // that was asked for last
  std::optional<Digest> expansion_;  // its ColumnsDigest
  std::optional<Query> asked_;       // and not answered
  std::optional<DisputeEnd> end_;
  int queries_ = 0, answers_ = 0;
};

}  // namespace tally
