// A node of a chain, by its JSON-RPC over HTTP: calls, transactions of one account, and logs.
//
//   ChainClient chain(target, account, std::chrono::seconds(600));
//   ASSIGN_OR_RETURN(const auto returned, chain.Call(contract, call.Encode()));
//   ASSIGN_OR_RETURN(const ChainReceipt receipt, chain.Send(contract, call.Encode(), value));
//
// The node is trusted with what is on the chain, and with no key. Whatever it answers is read as it would be
// from an enemy.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/chain/abi.h"
#include "server/chain/account.h"
#include "server/http/http_client.h"

namespace tally::server {

// The most gas of a transaction (EIP-7825).
inline constexpr uint64_t kMostTransactionGas = 16'777'216;

struct ChainLog {
  std::vector<Word> topics;
  std::vector<uint8_t> data;
  uint64_t block = 0;
};

struct ChainReceipt {
  std::string hash;
  uint64_t gas = 0;
  uint64_t block = 0;
  std::vector<ChainLog> logs;
};

class ChainClient {
 public:
  // `patience` is for each answer, and for a transaction to be in a block.
  ChainClient(HttpTarget target, Account account, std::chrono::milliseconds patience)
      : target_(std::move(target)), account_(std::move(account)), patience_(patience) {}

  const Account& account() const { return account_; }
  std::chrono::milliseconds patience() const { return patience_; }

  // Errors of all: server_unreachable; chain_node; chain_refused, where a contract reverts, with its label.
  absl::StatusOr<std::vector<uint8_t>> Call(const Address& to, std::span<const uint8_t> data);
  // Signs, sends, and waits for the block. `value` is in wei.
  absl::StatusOr<ChainReceipt> Send(const Address& to, std::span<const uint8_t> data, const Word& value = {});
  // Those of a contract with one of these first topics, from a block on.
  absl::StatusOr<std::vector<ChainLog>> Logs(const Address& of, std::span<const Word> topics,
                                             uint64_t from_block);

  struct Block {
    uint64_t number = 0, seconds = 0;  // since 1970
  };
  absl::StatusOr<Block> Latest();

 private:
  using Json = nlohmann::json;

  absl::StatusOr<Json> Ask(const char* method, Json params);
  absl::StatusOr<std::string> AskText(const char* method, Json params);
  absl::StatusOr<uint64_t> AskNumber(const char* method, Json params);
  absl::StatusOr<std::vector<uint8_t>> Sign(const Address& to, std::span<const uint8_t> data,
                                            const Word& value, uint64_t gas);
  absl::StatusOr<ChainReceipt> WaitFor(const std::string& hash);

  const HttpTarget target_;
  const Account account_;
  const std::chrono::milliseconds patience_;
};

}  // namespace tally::server
