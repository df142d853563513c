#include "server/chain/chain_client.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/chain/hex.h"
#include "server/chain/keccak.h"
#include "server/chain/rlp.h"
#include "server/labels.h"

namespace tally::server {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks(250);
constexpr uint64_t kTip = 1'000'000'000;  // wei for each gas, to whoever makes the block

absl::Status NodeError(std::string_view what) { return MakeError(label::chain_node, what); }

std::string TextAt(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

absl::StatusOr<uint64_t> NumberAt(const Json& json, const char* name) {
  const auto number = NumberOfHex(TextAt(json, name));
  if (!number) return NodeError(absl::StrCat("the node's answer has no number '", name, "'"));
  return *number;
}

// The label of Refused(bytes32), which nodes give with the error in one of two places.
std::string LabelIn(const Json& error) {
  if (!error.is_object() || !error.contains("data")) return "";
  const Json& data = error["data"];
  const auto bytes = BytesOfHex(data.is_string() ? data.get<std::string>() : TextAt(data, "data"));
  const Digest selector = SignatureHash("Refused(bytes32)");
  if (!bytes || bytes->size() != 36 || !std::equal(bytes->begin(), bytes->begin() + 4, selector.begin()))
    return "";
  const std::string label(bytes->begin() + 4, bytes->end());
  return PrintableStart(label.substr(0, label.find('\0')), 32);
}

absl::Status ErrorOf(const Json& error) {
  const std::string label = LabelIn(error);
  if (!label.empty())
    return MakeError(label::chain_refused, absl::StrCat("the contract refuses it: ", label));
  return NodeError(absl::StrCat("the node reports: ", PrintableStart(TextAt(error, "message"), 400)));
}

absl::StatusOr<ChainLog> LogOf(const Json& json) {
  ChainLog log;
  const auto data = BytesOfHex(TextAt(json, "data"));
  const auto topics = json.is_object() ? json.find("topics") : json.end();
  if (!data || topics == json.end() || !topics->is_array()) return NodeError("a log has another form");
  log.data = *data;
  for (const Json& topic : *topics) {
    const auto bytes = topic.is_string() ? BytesOfHex(topic.get<std::string>()) : std::nullopt;
    if (!bytes || bytes->size() != Word().size()) return NodeError("a log has a topic of another form");
    std::ranges::copy(*bytes, log.topics.emplace_back().begin());
  }
  ASSIGN_OR_RETURN(log.block, NumberAt(json, "blockNumber"));
  return log;
}

absl::StatusOr<std::vector<ChainLog>> LogsOf(const Json& json) {
  std::vector<ChainLog> logs;
  if (!json.is_array()) return NodeError("the node's answer has no list of logs");
  for (const Json& one : json) {
    ASSIGN_OR_RETURN(logs.emplace_back(), LogOf(one));
  }
  return logs;
}

}  // namespace

absl::StatusOr<Json> ChainClient::Ask(const char* method, Json params) {
  const Json request = {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
  HttpRequest http{.method = "POST", .target = "/", .headers = {}, .body = request.dump(), .client = {}};
  if (!target_.prefix.empty()) http.target = "";
  http.headers.emplace_back("Content-Type", "application/json");
  ASSIGN_OR_RETURN(const HttpResponse response, CallHttp(target_, http, patience_));
  Json answer = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return NodeError(absl::StrCat("the node answers HTTP ", response.status));
  if (answer.contains("error") && !answer["error"].is_null()) return ErrorOf(answer["error"]);
  if (!answer.contains("result")) return NodeError("the node's answer has no result");
  return std::move(answer["result"]);
}

absl::StatusOr<std::string> ChainClient::AskText(const char* method, Json params) {
  ASSIGN_OR_RETURN(const Json result, Ask(method, std::move(params)));
  if (!result.is_string()) return NodeError(absl::StrCat(method, " has a result of another form"));
  return result.get<std::string>();
}

absl::StatusOr<uint64_t> ChainClient::AskNumber(const char* method, Json params) {
  ASSIGN_OR_RETURN(const std::string text, AskText(method, std::move(params)));
  const auto number = NumberOfHex(text);
  if (!number) return NodeError(absl::StrCat(method, " has a result of another form"));
  return *number;
}

absl::StatusOr<std::vector<uint8_t>> ChainClient::Call(const Address& to, std::span<const uint8_t> data) {
  const Json call = {{"from", HexOf(account_.address())}, {"to", HexOf(to)}, {"data", HexOf(data)}};
  ASSIGN_OR_RETURN(const std::string text, AskText("eth_call", {call, "latest"}));
  auto bytes = BytesOfHex(text);
  if (!bytes) return NodeError("eth_call has a result of another form");
  return *std::move(bytes);
}

// A transaction of type 2 (EIP-1559).
absl::StatusOr<std::vector<uint8_t>> ChainClient::Sign(const Address& to, std::span<const uint8_t> data,
                                                       const Word& value, uint64_t gas) {
  ASSIGN_OR_RETURN(const uint64_t chain, AskNumber("eth_chainId", Json::array()));
  ASSIGN_OR_RETURN(const uint64_t nonce,
                   AskNumber("eth_getTransactionCount", {HexOf(account_.address()), "pending"}));
  ASSIGN_OR_RETURN(const Json block, Ask("eth_getBlockByNumber", {"latest", false}));
  ASSIGN_OR_RETURN(const uint64_t base_fee, NumberAt(block, "baseFeePerGas"));
  if (base_fee > uint64_t{1} << 60) return NodeError("the base fee is above an ether for each gas");
  RlpList fields;
  fields.AddNumber(chain);
  fields.AddNumber(nonce);
  fields.AddNumber(kTip);
  fields.AddNumber(2 * base_fee + kTip);
  fields.AddNumber(gas);
  fields.AddBytes(to);
  fields.AddNumber(value);
  fields.AddBytes(data);
  fields.AddList(RlpList());  // no addresses are declared
  constexpr uint8_t kType = 2;
  const auto typed = [&] {
    std::vector<uint8_t> bytes = fields.Encode();
    bytes.insert(bytes.begin(), kType);
    return bytes;
  };
  const AccountSignature signature = account_.Sign(Keccak256(typed()));
  fields.AddNumber(static_cast<uint64_t>(signature.parity));
  fields.AddNumber(signature.r);
  fields.AddNumber(signature.s);
  return typed();
}

absl::StatusOr<ChainReceipt> ChainClient::Send(const Address& to, std::span<const uint8_t> data,
                                               const Word& value) {
  std::string wei = HexOf(value).substr(2);
  wei.erase(0, std::min(wei.find_first_not_of('0'), wei.size() - 1));
  const Json call = {
      {"from", HexOf(account_.address())}, {"to", HexOf(to)}, {"data", HexOf(data)}, {"value", "0x" + wei}};
  ASSIGN_OR_RETURN(const uint64_t estimated, AskNumber("eth_estimateGas", {call}));
  // The state may be another one when the block is made.
  const uint64_t gas = std::min(estimated, kMostTransactionGas) / 8 + estimated;
  ASSIGN_OR_RETURN(const std::vector<uint8_t> signed_bytes,
                   Sign(to, data, value, std::min(gas, kMostTransactionGas)));
  const std::string hash = HexOf(Keccak256(signed_bytes));
  ASSIGN_OR_RETURN(const std::string sent, AskText("eth_sendRawTransaction", {HexOf(signed_bytes)}));
  if (sent != hash) return NodeError("the node has sent another transaction");
  return WaitFor(hash);
}

absl::StatusOr<ChainReceipt> ChainClient::WaitFor(const std::string& hash) {
  for (const auto until = Clock::now() + patience_; Clock::now() < until;) {
    ASSIGN_OR_RETURN(const Json json, Ask("eth_getTransactionReceipt", {hash}));
    if (json.is_null()) {
      std::this_thread::sleep_for(kBetweenLooks);
      continue;
    }
    ChainReceipt receipt{.hash = hash};
    ASSIGN_OR_RETURN(const uint64_t status, NumberAt(json, "status"));
    ASSIGN_OR_RETURN(receipt.gas, NumberAt(json, "gasUsed"));
    ASSIGN_OR_RETURN(receipt.block, NumberAt(json, "blockNumber"));
    if (status != 1)
      return MakeError(label::chain_refused, absl::StrCat("transaction ", Printable(hash), " has failed"));
    ASSIGN_OR_RETURN(receipt.logs, LogsOf(json.contains("logs") ? json["logs"] : Json()));
    return receipt;
  }
  return NodeError(absl::StrCat("transaction ", Printable(hash), " is in no block in time"));
}

absl::StatusOr<std::vector<ChainLog>> ChainClient::Logs(const Address& of, std::span<const Word> topics,
                                                        uint64_t from_block) {
  Json first = Json::array();
  for (const Word& topic : topics) first.push_back(HexOf(topic));
  const Json filter = {{"address", HexOf(of)},
                       {"fromBlock", HexOfNumber(from_block)},
                       {"toBlock", "latest"},
                       {"topics", Json::array({first})}};
  ASSIGN_OR_RETURN(const Json logs, Ask("eth_getLogs", {filter}));
  return LogsOf(logs);
}

absl::StatusOr<ChainClient::Block> ChainClient::Latest() {
  ASSIGN_OR_RETURN(const Json json, Ask("eth_getBlockByNumber", {"latest", false}));
  Block block;
  ASSIGN_OR_RETURN(block.number, NumberAt(json, "number"));
  ASSIGN_OR_RETURN(block.seconds, NumberAt(json, "timestamp"));
  return block;
}

}  // namespace tally::server
