// The contract that disputes are played by on a chain (chain/contracts/Game.sol), and the one that keeps the
// programs of modules.
//
//   ASSIGN_OR_RETURN(ChainGame game, ChainGame::At(chain, contract));
//   ASSIGN_OR_RETURN(const GameMove begun, game.Challenge(claim, opening));
//   ASSIGN_OR_RETURN(const GameMove asked, game.Ask(begun.dispute, begun.position, query));
//
// Errors of all calls: those of ChainClient.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/chain/chain_client.h"

namespace tally::server {

enum class GameEventKind { kClaimed, kChallenged, kAsked, kAnswered, kEnded, kConfirmed };

// An event that the contract has logged: `message` is an opening, a query or an answer, and `position` the
// one after it.
struct GameEvent {
  GameEventKind kind;
  uint64_t claim = 0, dispute = 0;  // 0 where the event does not name one
  Address party = {};               // who claims or challenges
  std::vector<uint8_t> message, position;
  bool convicted = false;  // the asserter, by a dispute that has ended
  std::string why;         // it has: a label
  uint64_t block = 0;
};

// How long a party waits before it looks for events again.
inline constexpr std::chrono::milliseconds kBetweenEvents(500);

// A dispute after a move that was sent from here.
struct GameMove {
  uint64_t dispute = 0;
  std::vector<uint8_t> position;
  ChainReceipt receipt;
};

struct GameTerms {
  Word claim_bond = {}, challenge_bond = {};  // wei
  uint64_t window = 0, clock = 0;             // seconds
};

enum class ClaimStatus { kNone, kOpen, kConfirmed, kConvicted };

struct GameClaim {
  ClaimStatus status = ClaimStatus::kNone;
  Address asserter = {};
  uint64_t until = 0, disputes = 0;
};

struct GameDispute {
  Address challenger = {};  // zeros where there is no such dispute
  uint64_t since = 0;       // the last move, seconds since 1970
  uint64_t claim = 0;
  uint64_t asserter_left = 0, challenger_left = 0;  // seconds
  bool asked = false;

  bool exists() const { return challenger != Address(); }
  // The second after which the party that is to move has lost.
  uint64_t last_second() const { return since + (asked ? asserter_left : challenger_left); }
};

class ChainGame {
 public:
  // `chain` outlives this.
  static absl::StatusOr<ChainGame> At(ChainClient& chain, const Address& contract);

  ChainClient& chain() { return chain_; }
  const GameTerms& terms() const { return terms_; }

  absl::StatusOr<GameClaim> Claim(uint64_t number);
  absl::StatusOr<GameDispute> Dispute(uint64_t number);
  absl::StatusOr<std::vector<GameEvent>> Events(uint64_t from_block);

  // Stores and registers the program and the bounds of a module, where nobody has.
  absl::Status Register(const Digest& module, const Digest& bounds_digest, std::span<const uint8_t> program,
                        std::span<const uint8_t> bounds);
  // Claims with the bond; the number of the claim.
  absl::StatusOr<uint64_t> Assert(std::span<const uint8_t> opening);
  absl::StatusOr<GameMove> Challenge(uint64_t claim, std::span<const uint8_t> opening);
  absl::StatusOr<GameMove> Ask(uint64_t dispute, std::span<const uint8_t> position,
                               std::span<const uint8_t> query);
  absl::StatusOr<GameMove> Answer(uint64_t dispute, std::span<const uint8_t> position,
                                  std::span<const uint8_t> answer);
  absl::StatusOr<ChainReceipt> Convict(uint64_t dispute, std::span<const uint8_t> position,
                                       std::span<const uint8_t> certificate, std::span<const uint8_t> tables);
  absl::Status TimeOut(uint64_t dispute);
  absl::Status Release(uint64_t dispute);
  absl::Status Confirm(uint64_t claim);
  // Everything that the account is owed, if anything.
  absl::Status Withdraw();

  // Gas and transactions so far.
  uint64_t gas() const { return gas_; }
  uint64_t largest() const { return largest_; }
  int transactions() const { return transactions_; }

 private:
  ChainGame(ChainClient& chain, const Address& contract) : chain_(chain), contract_(contract) {}

  absl::StatusOr<std::vector<uint8_t>> Read(const AbiCall& call) {
    return chain_.Call(contract_, call.Encode());
  }
  absl::StatusOr<ChainReceipt> Send(const Address& to, const AbiCall& call, const Word& value = {});
  absl::StatusOr<GameMove> MoveBy(const AbiCall& call, const Word& value = {});
  absl::StatusOr<std::vector<Address>> Store(std::span<const uint8_t> bytes);

  ChainClient& chain_;
  const Address contract_;
  Address modules_ = {};
  GameTerms terms_;
  uint64_t gas_ = 0, largest_ = 0;
  int transactions_ = 0;
};

}  // namespace tally::server
