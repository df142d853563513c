#include "server/chain/chain_dispute.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/certificate/certificate.h"
#include "proof/certificate/recipe_tables.h"
#include "proof/labels.h"
#include "server/labels.h"

namespace tally::server {
absl::StatusOr<PostedClaim> FindClaim(ChainGame& game, uint64_t number, uint64_t from_block) {
  ASSIGN_OR_RETURN(std::vector<GameEvent> events, game.Events(from_block));
  for (GameEvent& event : events) {
    if (event.kind == GameEventKind::kClaimed && event.claim == number)
      return PostedClaim{number, std::move(event.message), event.block};
  }
  return MakeError(label::chain_node, absl::StrCat("no event of the contract posts claim ", number));
}

// Reads what the chain has of the dispute.
absl::Status ChainDispute::Follow() {
  ASSIGN_OR_RETURN(std::vector<GameEvent> events, game_.Events(claim_.block));
  queries_.clear();
  answers_.clear();
  for (GameEvent& event : events) {
    if (event.dispute != dispute_) continue;
    if (event.kind == GameEventKind::kChallenged && event.claim != claim_.number) continue;
    if (!event.position.empty()) position_ = std::move(event.position);
    if (event.kind == GameEventKind::kAsked) queries_.push_back(std::move(event.message));
    if (event.kind == GameEventKind::kAnswered) answers_.push_back(std::move(event.message));
    if (event.kind == GameEventKind::kEnded) end_ = std::move(event);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint8_t>> ChainDispute::Begin(const Digest&, const std::string&) {
  if (dispute_ == 0) {
    ASSIGN_OR_RETURN(GameMove begun, game_.Challenge(claim_.number, claim_.opening));
    dispute_ = begun.dispute;
    position_ = std::move(begun.position);
  } else {
    RETURN_IF_ERROR(Follow());
    if (position_.empty())
      return MakeError(label::dispute_unknown, absl::StrCat("the claim has no dispute ", dispute_));
  }
  return claim_.opening;
}

absl::StatusOr<std::vector<uint8_t>> ChainDispute::Ask(const Digest&, int step,
                                                       std::span<const uint8_t> query) {
  const auto number = static_cast<size_t>(step - 1);
  if (number < queries_.size() && !std::ranges::equal(queries_[number], query))
    return MakeError(label::dispute_turn, absl::StrCat("query ", step, " on the chain is another one"));
  if (number >= queries_.size()) {
    ASSIGN_OR_RETURN(GameMove asked, game_.Ask(dispute_, position_, query));
    position_ = std::move(asked.position);
    queries_.emplace_back(query.begin(), query.end());
  }
  return WaitForAnswer(number);
}

absl::StatusOr<std::vector<uint8_t>> ChainDispute::WaitForAnswer(size_t step) {
  while (answers_.size() <= step) {
    RETURN_IF_ERROR(Follow());
    if (answers_.size() > step) break;
    if (end_)
      return MakeError(label::dispute_time, absl::StrCat("the dispute has ended on the chain: ", end_->why));
    ASSIGN_OR_RETURN(const GameClaim claim, game_.Claim(claim_.number));
    if (claim.status != ClaimStatus::kOpen)
      return MakeError(label::dispute_turn, "another challenger has convicted the claim first");
    ASSIGN_OR_RETURN(const GameDispute dispute, game_.Dispute(dispute_));
    ASSIGN_OR_RETURN(const ChainClient::Block latest, game_.chain().Latest());
    if (dispute.exists() && dispute.asked && latest.seconds > dispute.last_second()) {
      RETURN_IF_ERROR(game_.TimeOut(dispute_));
      return MakeError(label::dispute_time, "the asserter did not answer in time, and has lost its bond");
    }
    std::this_thread::sleep_for(kBetweenEvents);
  }
  return answers_[step];
}

absl::StatusOr<std::string> ChainDispute::Convict(const Digest&, std::span<const uint8_t> file) {
  ASSIGN_OR_RETURN(Certificate certificate, DecodeCertificate(file));
  const std::vector<uint8_t> tables = RecipeTables(certificate);
  // The chain has both, once for all disputes.
  certificate.program.clear();
  certificate.bounds.clear();
  ASSIGN_OR_RETURN(const ChainReceipt receipt,
                   game_.Convict(dispute_, position_, EncodeCertificate(certificate), tables));
  RETURN_IF_ERROR(Follow());
  if (!end_ || !end_->convicted) {
    return MakeError(label::chain_refused, absl::StrCat("the contract does not convict: ",
                                                        end_ ? end_->why : "the dispute goes on"));
  }
  const nlohmann::ordered_json verdict = {
      {"claim", claim_.number},      {"dispute", dispute_},
      {"transaction", receipt.hash}, {"transactions", game_.transactions()},
      {"gas", game_.gas()},          {"most_gas", game_.largest()}};
  return verdict.dump();
}

absl::StatusOr<std::string> ChainDispute::Verdict(const Digest&) { return std::string(); }

}  // namespace tally::server
