// The challenger's side of a dispute on a chain: messages are transactions, and the game's contract is the
// referee.
//
//   ChainDispute dispute(game, claim, posted, from_block);
//   ASSIGN_OR_RETURN(const Challenged challenged, Challenge(dispute, {}, receipt, "", claimed, honest));
//
// A dispute that was begun before is gone on with: messages that are on the chain are not sent again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/chain/chain_game.h"
#include "server/dispute/dispute_service.h"

namespace tally::server {

// A claim as it was posted. Error chain_node, where no event from that block on has it.
struct PostedClaim {
  uint64_t number = 0;
  std::vector<uint8_t> opening;
  uint64_t block = 0;
};
absl::StatusOr<PostedClaim> FindClaim(ChainGame& game, uint64_t number, uint64_t from_block);

class ChainDispute final : public DisputeService {
 public:
  // `game` outlives this. `dispute` is one of this account's about the claim, or 0: a new one.
  ChainDispute(ChainGame& game, PostedClaim claim, uint64_t dispute)
      : game_(game), claim_(std::move(claim)), dispute_(dispute) {}

  uint64_t number() const { return dispute_; }

  // The ids and receipts of other services are not looked at. Errors, besides those of ChainClient:
  // dispute_time, where the asserter's clock is over, and it has lost; dispute_turn, where somebody else has
  // convicted it first.
  absl::StatusOr<std::vector<uint8_t>> Begin(const Digest& id, const std::string& receipt) override;
  absl::StatusOr<std::vector<uint8_t>> Ask(const Digest& id, int step,
                                           std::span<const uint8_t> query) override;
  // JSON: the dispute, its transactions and their gas.
  absl::StatusOr<std::string> Convict(const Digest& id, std::span<const uint8_t> certificate) override;
  absl::StatusOr<std::string> Verdict(const Digest& id) override;

 private:
  absl::Status Follow();
  absl::StatusOr<std::vector<uint8_t>> WaitForAnswer(size_t step);

  ChainGame& game_;
  const PostedClaim claim_;
  uint64_t dispute_;
  std::vector<uint8_t> position_;
  std::vector<std::vector<uint8_t>> queries_, answers_;  // that are on the chain
  std::optional<GameEvent> end_;
};

}  // namespace tally::server
