// The referee of a dispute: a host that knows nothing but what the parties have said
// (docs/spec/dispute.md).
//
//   ASSIGN_OR_RETURN(DisputeReferee referee, DisputeReferee::Of({claim, bounds}, opening));
//   referee.Ask(query);            // the challenger's turn
//   referee.Answer(answer);        // the asserter's
//   referee.Convict(certificate);  // the challenger's last
//   referee.end()->loser;
//
// Who was to move and did not in time has lost (TimeOut); clocks and bonds are the host's. Every query is
// about what the answer before it has shown, so that a dispute has at most kMostQueries of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proof/certificate/check_certificate.h"
#include "proof/dispute/known_tree.h"
#include "proof/dispute/messages.h"

namespace tally {

// Each answer is four levels further down a tree: 17 queries to one of 2^64 entries, 9 to a leaf of the
// largest value, 1 for an expansion, 17 to a column and 9 to a leaf of it.
inline constexpr int kMostQueries = 53;

// The facts that a host knows before a dispute.
struct DisputedClaim {
  Claim claim;                  // as the asserter has signed it
  Digest bounds = {};           // those of its module, which whoever deploys the module computes once
  std::optional<Digest> trace;  // where a receipt names one with the claim
};

enum class Party { kAsserter, kChallenger };

struct DisputeEnd {
  Party loser;
  absl::Status why;                      // OK where a certificate convicts the asserter
  std::optional<Conviction> conviction;  // then
};

class DisputeReferee {
 public:
  // An opening that is not of that claim ends the dispute: the asserter has lost, for the reasons
  // dispute_opening and dispute_bounds. Error dispute_claim: the claim is of a run that was refused, about
  // which there is no dispute; running the module on the inputs shows whether it is true.
  static absl::StatusOr<DisputeReferee> Of(const DisputedClaim& disputed, DisputeOpening opening);

  Party turn() const { return asked_ ? Party::kAsserter : Party::kChallenger; }
  const std::optional<DisputeEnd>& end() const { return end_; }
  int answers() const { return answers_; }

  // Error dispute_turn: it is not this party's turn, or the dispute is over; the message is as if it had not
  // been sent. So is a query about anything but what the last answer has shown, error dispute_query: an
  // honest asserter has an answer to every other. An answer that is not what the asserter has committed to
  // ends the dispute, and so does every certificate.
  absl::Status Ask(const Query& query);
  absl::Status Answer(const tally::Answer& answer);
  absl::Status Convict(std::span<const uint8_t> certificate);
  void TimeOut();

 private:
  explicit DisputeReferee(DisputeOpening opening)
      : opening_(std::move(opening)), trace_(opening_.entries, opening_.trace_root) {}

  absl::Status CheckTurn(Party party) const;
  bool MayAsk(const Query& query) const;
  const KnownTree* TreeOf(Subject subject) const;
  KnownTree* TreeOf(Subject subject) { return const_cast<KnownTree*>(std::as_const(*this).TreeOf(subject)); }
  bool IsAnswer(const Query& query, const tally::Answer& answer);
  bool LearnExpansion(uint64_t element, const tally::Answer& answer);
  bool LearnHeader(const Digest& digest, std::span<const uint8_t> header, std::optional<KnownTree>& tree);

  DisputeOpening opening_;
  KnownTree trace_;
  std::optional<KnownTree> value_, columns_, column_;
  std::optional<uint64_t> entry_;    // that was asked for; none where a result was
  uint64_t elements_ = 0;            // its value has
  std::optional<Digest> expansion_;  // its ColumnsDigest
  std::optional<Query> asked_;       // and not answered
  std::optional<Query> answered_;    // the last
  std::optional<DisputeEnd> end_;
  int answers_ = 0;
};

}  // namespace tally
