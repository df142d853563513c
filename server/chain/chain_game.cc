#include "server/chain/chain_game.h"

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"

namespace tally::server {
namespace {

// An address has at most 24,576 bytes of code, one of which is no instruction.
constexpr size_t kMostPart = 24'575;

struct EventForm {
  GameEventKind kind;
  const char* signature;
};

constexpr EventForm kEvents[] = {
    {GameEventKind::kClaimed, "Claimed(uint256,address,bytes32,bytes)"},
    {GameEventKind::kChallenged, "Challenged(uint256,uint256,address,bytes)"},
    {GameEventKind::kAsked, "Asked(uint256,bytes,bytes)"},
    {GameEventKind::kAnswered, "Answered(uint256,bytes,bytes)"},
    {GameEventKind::kEnded, "Ended(uint256,uint256,bool,bytes32)"},
    {GameEventKind::kConfirmed, "Confirmed(uint256)"},
};

absl::Status OtherForm() {
  return MakeError(label::chain_node, "the contract at this address is no game of this version");
}

// A value that has to be there.
template <typename T>
absl::Status Take(std::optional<T> value, T* to) {
  if (!value) return OtherForm();
  *to = *std::move(value);
  return absl::OkStatus();
}

std::string TextOf(const Word& word) {
  const std::string text(word.begin(), word.end());
  return PrintableStart(text.substr(0, text.find('\0')), 32);
}

absl::Status ReadEvent(const ChainLog& log, GameEvent* event) {
  const auto topic = [&](size_t i) -> std::optional<uint64_t> {
    return i < log.topics.size() ? AbiValues(log.topics[i]).NumberAt(0) : std::nullopt;
  };
  const AbiValues data(log.data);
  event->block = log.block;
  const bool names_claim = event->kind != GameEventKind::kAsked && event->kind != GameEventKind::kAnswered;
  RETURN_IF_ERROR(Take(topic(1), names_claim ? &event->claim : &event->dispute));
  switch (event->kind) {
    case GameEventKind::kClaimed:
      if (log.topics.size() != 4) return OtherForm();
      RETURN_IF_ERROR(Take(AbiValues(log.topics[2]).AddressAt(0), &event->party));
      return Take(data.BytesAt(0), &event->message);
    case GameEventKind::kChallenged:
      RETURN_IF_ERROR(Take(topic(2), &event->dispute));
      RETURN_IF_ERROR(Take(data.AddressAt(0), &event->party));
      return Take(data.BytesAt(1), &event->position);
    case GameEventKind::kAsked:
    case GameEventKind::kAnswered:
      RETURN_IF_ERROR(Take(data.BytesAt(0), &event->message));
      return Take(data.BytesAt(1), &event->position);
    case GameEventKind::kEnded: {
      RETURN_IF_ERROR(Take(topic(2), &event->dispute));
      event->convicted = data.NumberAt(0) == 1;
      Word why;
      RETURN_IF_ERROR(Take(data.WordAt(1), &why));
      event->why = TextOf(why);
      return absl::OkStatus();
    }
    case GameEventKind::kConfirmed: return absl::OkStatus();
  }
  return OtherForm();
}

// Those of the logs that are events of a game.
absl::StatusOr<std::vector<GameEvent>> EventsIn(std::span<const ChainLog> logs) {
  std::vector<GameEvent> events;
  for (const ChainLog& log : logs) {
    const auto form = std::ranges::find_if(kEvents, [&](const EventForm& one) {
      return !log.topics.empty() && log.topics[0] == SignatureHash(one.signature);
    });
    if (form == std::end(kEvents)) continue;
    RETURN_IF_ERROR(ReadEvent(log, &events.emplace_back(GameEvent{.kind = form->kind})));
  }
  return events;
}

}  // namespace

absl::StatusOr<ChainGame> ChainGame::At(ChainClient& chain, const Address& contract) {
  ChainGame game(chain, contract);
  ASSIGN_OR_RETURN(const auto modules, game.Read(AbiCall("modules()")));
  RETURN_IF_ERROR(Take(AbiValues(modules).AddressAt(0), &game.modules_));
  ASSIGN_OR_RETURN(const auto read, game.Read(AbiCall("terms()")));
  const AbiValues terms(read);
  RETURN_IF_ERROR(Take(terms.WordAt(0), &game.terms_.claim_bond));
  RETURN_IF_ERROR(Take(terms.WordAt(1), &game.terms_.challenge_bond));
  RETURN_IF_ERROR(Take(terms.NumberAt(3), &game.terms_.window));
  RETURN_IF_ERROR(Take(terms.NumberAt(4), &game.terms_.clock));
  return game;
}

absl::StatusOr<GameClaim> ChainGame::Claim(uint64_t number) {
  ASSIGN_OR_RETURN(const auto read, Read(AbiCall("claims(uint256)").Add(number)));
  const AbiValues values(read);
  GameClaim claim;
  uint64_t status = 0;
  RETURN_IF_ERROR(Take(values.AddressAt(0), &claim.asserter));
  RETURN_IF_ERROR(Take(values.NumberAt(1), &claim.until));
  RETURN_IF_ERROR(Take(values.NumberAt(2), &claim.disputes));
  RETURN_IF_ERROR(Take(values.NumberAt(3), &status));
  if (status > static_cast<uint64_t>(ClaimStatus::kConvicted)) return OtherForm();
  claim.status = static_cast<ClaimStatus>(status);
  return claim;
}

absl::StatusOr<GameDispute> ChainGame::Dispute(uint64_t number) {
  ASSIGN_OR_RETURN(const auto read, Read(AbiCall("disputes(uint256)").Add(number)));
  const AbiValues values(read);
  GameDispute dispute;
  RETURN_IF_ERROR(Take(values.AddressAt(0), &dispute.challenger));
  RETURN_IF_ERROR(Take(values.NumberAt(1), &dispute.since));
  RETURN_IF_ERROR(Take(values.NumberAt(3), &dispute.claim));
  RETURN_IF_ERROR(Take(values.NumberAt(4), &dispute.asserter_left));
  RETURN_IF_ERROR(Take(values.NumberAt(5), &dispute.challenger_left));
  dispute.asked = values.NumberAt(6) == 1;
  return dispute;
}

absl::StatusOr<std::vector<GameEvent>> ChainGame::Events(uint64_t from_block) {
  std::vector<Word> topics;
  for (const EventForm& form : kEvents) topics.push_back(SignatureHash(form.signature));
  ASSIGN_OR_RETURN(const auto logs, chain_.Logs(contract_, topics, from_block));
  return EventsIn(logs);
}

absl::StatusOr<ChainReceipt> ChainGame::Send(const Address& to, const AbiCall& call, const Word& value) {
  ASSIGN_OR_RETURN(ChainReceipt receipt, chain_.Send(to, call.Encode(), value));
  gas_ += receipt.gas;
  largest_ = std::max(largest_, receipt.gas);
  ++transactions_;
  return receipt;
}

absl::StatusOr<GameMove> ChainGame::MoveBy(const AbiCall& call, const Word& value) {
  GameMove move;
  ASSIGN_OR_RETURN(move.receipt, Send(contract_, call, value));
  ASSIGN_OR_RETURN(std::vector<GameEvent> events, EventsIn(move.receipt.logs));
  if (events.empty()) return OtherForm();
  move.dispute = events[0].dispute;
  move.position = std::move(events[0].position);
  return move;
}

absl::StatusOr<std::vector<Address>> ChainGame::Store(std::span<const uint8_t> bytes) {
  std::vector<Address> parts;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kMostPart))) {
    const AbiCall call = AbiCall("store(bytes)").Add(bytes.first(std::min(bytes.size(), kMostPart)));
    ASSIGN_OR_RETURN(const ChainReceipt receipt, Send(modules_, call));
    if (receipt.logs.empty()) return OtherForm();
    RETURN_IF_ERROR(Take(AbiValues(receipt.logs[0].data).AddressAt(0), &parts.emplace_back()));
  }
  return parts;
}

absl::Status ChainGame::Register(const Digest& module, const Digest& bounds_digest,
                                 std::span<const uint8_t> program, std::span<const uint8_t> bounds) {
  const AbiCall is = AbiCall("isRegistered(bytes32,bytes32)").Add(module).Add(bounds_digest);
  ASSIGN_OR_RETURN(const auto read, chain_.Call(modules_, is.Encode()));
  if (AbiValues(read).NumberAt(0) == 1) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<Address> of_program, Store(program));
  ASSIGN_OR_RETURN(const std::vector<Address> of_bounds, Store(bounds));
  return Send(modules_, AbiCall("register(address[],address[])").Add(of_program).Add(of_bounds)).status();
}

absl::StatusOr<uint64_t> ChainGame::Assert(std::span<const uint8_t> opening) {
  ASSIGN_OR_RETURN(const ChainReceipt receipt,
                   Send(contract_, AbiCall("claim(bytes)").Add(opening), terms_.claim_bond));
  ASSIGN_OR_RETURN(const std::vector<GameEvent> events, EventsIn(receipt.logs));
  if (events.empty()) return OtherForm();
  return events[0].claim;
}

absl::StatusOr<GameMove> ChainGame::Challenge(uint64_t claim, std::span<const uint8_t> opening) {
  return MoveBy(AbiCall("challenge(uint256,bytes)").Add(claim).Add(opening), terms_.challenge_bond);
}

absl::StatusOr<GameMove> ChainGame::Ask(uint64_t dispute, std::span<const uint8_t> position,
                                        std::span<const uint8_t> query) {
  return MoveBy(AbiCall("ask(uint256,bytes,bytes)").Add(dispute).Add(position).Add(query));
}

absl::StatusOr<GameMove> ChainGame::Answer(uint64_t dispute, std::span<const uint8_t> position,
                                           std::span<const uint8_t> answer) {
  return MoveBy(AbiCall("answer(uint256,bytes,bytes)").Add(dispute).Add(position).Add(answer));
}

absl::StatusOr<ChainReceipt> ChainGame::Convict(uint64_t dispute, std::span<const uint8_t> position,
                                                std::span<const uint8_t> certificate,
                                                std::span<const uint8_t> tables) {
  return Send(
      contract_,
      AbiCall("convict(uint256,bytes,bytes,bytes)").Add(dispute).Add(position).Add(certificate).Add(tables));
}

absl::Status ChainGame::TimeOut(uint64_t dispute) {
  return Send(contract_, AbiCall("timeOut(uint256)").Add(dispute)).status();
}

absl::Status ChainGame::Release(uint64_t dispute) {
  return Send(contract_, AbiCall("release(uint256)").Add(dispute)).status();
}

absl::Status ChainGame::Confirm(uint64_t claim) {
  return Send(contract_, AbiCall("confirm(uint256)").Add(claim)).status();
}

absl::Status ChainGame::Withdraw() {
  const Word account = WordOf(chain_.account().address());
  ASSIGN_OR_RETURN(const auto owed, Read(AbiCall("owed(address)").Add(account)));
  if (AbiValues(owed).WordAt(0).value_or(Word()) == Word()) return absl::OkStatus();
  return Send(contract_, AbiCall("withdraw(address)").Add(account)).status();
}

}  // namespace tally::server
