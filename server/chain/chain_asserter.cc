#include "server/chain/chain_asserter.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/certificate/convict.h"
#include "proof/dispute/asserter.h"
#include "proof/labels.h"
#include "server/chain/chain_dispute.h"
#include "server/labels.h"

namespace tally::server {
namespace {

// One dispute: the asserter as it is after the queries so far, and the answer that is due.
struct Disputed {
  std::unique_ptr<Asserter> asserter;
  std::vector<uint8_t> position;
  std::optional<std::vector<uint8_t>> due;
  bool over = false;
};

class ChainAsserter {
 public:
  ChainAsserter(ChainGame& game, const AssertedRun& run, PostedClaim claim,
                const std::function<void(const std::string&)>& show)
      : game_(game), run_(run), claim_(std::move(claim)), show_(show), next_block_(claim_.block) {
    result_.claim = claim_.number;
  }

  // Looks once; whether the claim is decided.
  absl::StatusOr<bool> Look() {
    ASSIGN_OR_RETURN(const ChainClient::Block latest, game_.chain().Latest());
    ASSIGN_OR_RETURN(std::vector<GameEvent> events, game_.Events(next_block_));
    for (GameEvent& event : events) {
      if (event.block > latest.number) continue;  // the next look has it
      RETURN_IF_ERROR(Hear(event));
    }
    next_block_ = latest.number + 1;
    for (auto& [number, disputed] : disputes_) RETURN_IF_ERROR(Move(number, disputed, latest.seconds));
    return Decide(latest.seconds);
  }

  const AssertedOnChain& result() const { return result_; }

 private:
  absl::Status Hear(GameEvent& event) {
    if (event.kind == GameEventKind::kChallenged && event.claim == claim_.number) {
      Disputed& disputed = disputes_[event.dispute];
      disputed.asserter = std::make_unique<Asserter>(*run_.claimed, run_.run);
      disputed.position = std::move(event.position);
      ++result_.disputes;
      show_(absl::StrCat("dispute ", event.dispute, " has begun"));
      return absl::OkStatus();
    }
    const auto found = disputes_.find(event.dispute);
    if (found == disputes_.end()) return absl::OkStatus();
    Disputed& disputed = found->second;
    if (event.kind == GameEventKind::kAsked) {
      ASSIGN_OR_RETURN(const Query query, DecodeQuery(event.message));
      ASSIGN_OR_RETURN(const Answer answer, disputed.asserter->Reply(query));
      disputed.due = EncodeAnswer(answer);
      disputed.position = std::move(event.position);
      show_(absl::StrCat("dispute ", event.dispute, " asks for ", std::string(NameOf(query.subject)), " ",
                         query.part.first, ", ", query.part.size, " of them"));
    } else if (event.kind == GameEventKind::kAnswered) {
      disputed.due.reset();
      disputed.position = std::move(event.position);
    } else if (event.kind == GameEventKind::kEnded) {
      disputed.over = true;
      if (event.convicted) result_.why = event.why;
      show_(absl::StrCat("dispute ", event.dispute, " has ended: ", event.why));
    }
    return absl::OkStatus();
  }

  // Answers, or ends a dispute whose challenger has no time left.
  absl::Status Move(uint64_t number, Disputed& disputed, uint64_t now) {
    if (disputed.over) return absl::OkStatus();
    if (disputed.due) {
      const auto sent = game_.Answer(number, disputed.position, *disputed.due);
      // Somebody else's conviction ends a dispute at any moment.
      if (!sent.ok()) return HasLabel(sent.status(), label::chain_refused) ? absl::OkStatus() : sent.status();
      disputed.due.reset();
      ++result_.answers;
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const GameDispute dispute, game_.Dispute(number));
    if (!dispute.exists() || dispute.asked || now <= dispute.last_second()) return absl::OkStatus();
    const absl::Status ended = game_.TimeOut(number);
    return HasLabel(ended, label::chain_refused) ? absl::OkStatus() : ended;
  }

  absl::StatusOr<bool> Decide(uint64_t now) {
    ASSIGN_OR_RETURN(GameClaim claim, game_.Claim(claim_.number));
    if (claim.status == ClaimStatus::kOpen && now > claim.until && claim.disputes == 0) {
      RETURN_IF_ERROR(game_.Confirm(claim_.number));
      claim.status = ClaimStatus::kConfirmed;
    }
    result_.confirmed = claim.status == ClaimStatus::kConfirmed;
    return claim.status != ClaimStatus::kOpen;
  }

  ChainGame& game_;
  const AssertedRun& run_;
  const PostedClaim claim_;
  const std::function<void(const std::string&)>& show_;
  uint64_t next_block_;
  std::map<uint64_t, Disputed> disputes_;
  AssertedOnChain result_;
};

absl::StatusOr<uint64_t> PostClaim(ChainGame& game, const AssertedRun& run,
                                   std::span<const uint8_t> opening) {
  const RecordedRun& of = run.run;
  const Certificate head = CertificateHead(*run.claimed, of.claim, of.input_digests, of.result_digests);
  RETURN_IF_ERROR(game.Register(of.claim.module, of.claim.bounds, head.program, head.bounds));
  return game.Assert(opening);
}

}  // namespace

absl::StatusOr<AssertedOnChain> AssertOnChain(ChainGame& game, const AssertedRun& run,
                                              const ChainAsserterOptions& options,
                                              const std::function<void(const std::string&)>& show) {
  const std::vector<uint8_t> opening = EncodeDisputeOpening(Asserter(*run.claimed, run.run).opening());
  PostedClaim posted = {.number = options.claim, .opening = opening, .block = options.from_block};
  if (options.claim == 0) {
    ASSIGN_OR_RETURN(const ChainClient::Block latest, game.chain().Latest());
    posted.block = latest.number;
    ASSIGN_OR_RETURN(posted.number, PostClaim(game, run, opening));
  } else {
    ASSIGN_OR_RETURN(posted, FindClaim(game, options.claim, options.from_block));
    if (posted.opening != opening)
      return MakeError(label::claim_module, absl::StrCat("claim ", options.claim, " is of another run"));
  }
  show(absl::StrCat("claim ", posted.number));
  ChainAsserter asserter(game, run, std::move(posted), show);
  for (;;) {
    ASSIGN_OR_RETURN(const bool decided, asserter.Look());
    if (decided) break;
    std::this_thread::sleep_for(kBetweenEvents);
  }
  RETURN_IF_ERROR(game.Withdraw());
  return asserter.result();
}

}  // namespace tally::server
