// A node that answers with anything: each call ends with a label, and nothing is believed that has another
// form.
#include "server/chain/chain_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>

#include "base/error.h"
#include "server/chain/chain_game.h"
#include "server/chain/hex.h"
#include "server/chain/keccak.h"
#include "server/http/http_server.h"

namespace tally::server {
namespace {

using Json = nlohmann::json;

// The answer of a node to a method, and its first parameter.
using Reply = std::function<std::string(const std::string& method, const Json& param)>;

class Node {
 public:
  explicit Node(Reply reply)
      : server_(*HttpServer::Start({}, [reply](const HttpRequest& request, const Respond& respond) {
          const Json json = Json::parse(request.body, nullptr, false);
          const Json params = json.value("params", Json::array());
          respond(
              {.body = reply(json.value("method", ""), params.empty() ? Json() : params[0]), .headers = {}});
        })) {}
  ~Node() { server_->Drain(std::chrono::seconds(1)); }

  ChainClient Client() const {
    return {*HttpTarget::Of("http://127.0.0.1:" + std::to_string(server_->port())),
            *Account::Of(std::string(63, '0') + "1"), std::chrono::milliseconds(500)};
  }

 private:
  const std::unique_ptr<HttpServer> server_;
};

std::string Result(const Json& result) {
  return Json{{"jsonrpc", "2.0"}, {"id", 1}, {"result", result}}.dump();
}

std::string Refusal(const std::string& label, bool nested) {
  std::string text = label;
  text.resize(32, '\0');
  const Digest selector = SignatureHash("Refused(bytes32)");
  const std::string data =
      HexOf(std::span(selector).first(4)) + HexOf(std::vector<uint8_t>(text.begin(), text.end())).substr(2);
  const Json error = {
      {"code", 3}, {"message", "execution reverted"}, {"data", nested ? Json{{"data", data}} : Json(data)}};
  return Json{{"jsonrpc", "2.0"}, {"id", 1}, {"error", error}}.dump();
}

std::string LabelOfCall(const std::string& body) {
  const Node node([body](const std::string&, const Json&) { return body; });
  ChainClient client = node.Client();
  return std::string(ErrorLabel(client.Call({}, {}).status()));
}

TEST(ChainClient, ReadsAResult) {
  const Node node([](const std::string&, const Json&) { return Result("0x0102"); });
  ChainClient client = node.Client();
  EXPECT_EQ(*client.Call({}, {}), (std::vector<uint8_t>{1, 2}));
}

TEST(ChainClient, HasTheLabelOfAContract) {
  for (const bool nested : {false, true}) {
    const Node node([&](const std::string&, const Json&) { return Refusal("game_window", nested); });
    ChainClient client = node.Client();
    const absl::Status status = client.Call({}, {}).status();
    EXPECT_EQ(ErrorLabel(status), "chain_refused");
    EXPECT_NE(std::string(status.message()).find("game_window"), std::string::npos);
  }
}

TEST(ChainClient, BelievesNoOtherForm) {
  for (const char* body :
       {"", "x", "[]", "1", "{}", "{\"result\": 1}", "{\"result\": null}", "{\"result\": \"0x1\"}",
        "{\"result\": \"0xzz\"}", "{\"error\": 5}", "{\"error\": {\"message\": 7}}",
        "{\"error\": {\"data\": \"0x08c379a0\"}}", "{\"error\": {\"data\": [1]}}"})
    EXPECT_EQ(LabelOfCall(body), "chain_node") << body;
}

// A node's answers to all that a transaction asks, with one of them changed.
class Answers {
 public:
  std::string operator()(const std::string& method, const Json& param) const {
    if (method == broken) return instead;
    if (method == "eth_estimateGas" || method == "eth_chainId" || method == "eth_getTransactionCount")
      return Result("0x5208");
    if (method == "eth_getBlockByNumber")
      return Result({{"baseFeePerGas", "0x7"}, {"number", "0x1"}, {"timestamp", "0x2"}});
    if (method == "eth_sendRawTransaction")
      return Result(HexOf(Keccak256(*BytesOfHex(param.get<std::string>()))));
    if (method == "eth_getTransactionReceipt")
      return Result(
          {{"status", "0x1"}, {"gasUsed", "0x5208"}, {"blockNumber", "0x2"}, {"logs", Json::array()}});
    return Result("0x");
  }

  std::string broken, instead;
};

std::string LabelOfSend(const Answers& answers) {
  const Node node(answers);
  ChainClient client = node.Client();
  return std::string(ErrorLabel(client.Send({}, {}).status()));
}

TEST(ChainClient, Sends) {
  const Node node{Answers()};
  ChainClient client = node.Client();
  const auto receipt = client.Send({}, {});
  ASSERT_TRUE(receipt.ok()) << receipt.status();
  EXPECT_EQ(receipt->gas, 21000u);
  EXPECT_EQ(receipt->block, 2u);
}

TEST(ChainClient, SendsNothingOnAnAnswerOfAnotherForm) {
  for (const char* method : {"eth_estimateGas", "eth_chainId", "eth_getTransactionCount",
                             "eth_getBlockByNumber", "eth_sendRawTransaction", "eth_getTransactionReceipt"}) {
    for (const std::string& instead : {Result(5), Result(Json::array()), Result("latest"),
                                       Result({{"baseFeePerGas", "0xffffffffffffffff"}}), std::string("{}")})
      EXPECT_EQ(LabelOfSend({.broken = method, .instead = instead}), "chain_node") << method << instead;
  }
}

TEST(ChainClient, ReportsATransactionThatFails) {
  const std::string failed =
      Result({{"status", "0x0"}, {"gasUsed", "0x1"}, {"blockNumber", "0x2"}, {"logs", Json::array()}});
  EXPECT_EQ(LabelOfSend({.broken = "eth_getTransactionReceipt", .instead = failed}), "chain_refused");
  EXPECT_EQ(LabelOfSend({.broken = "eth_getTransactionReceipt", .instead = Result(nullptr)}), "chain_node");
  EXPECT_EQ(LabelOfSend({.broken = "eth_estimateGas", .instead = Refusal("game_bond", false)}),
            "chain_refused");
}

TEST(ChainGame, ReadsNoEventOfAnotherForm) {
  const std::string asked = HexOf(SignatureHash("Asked(uint256,bytes,bytes)"));
  const std::string word = "0x" + std::string(64, '0');
  for (const Json& log : {
           Json{{"topics", {asked}}, {"data", "0x"}, {"blockNumber", "0x1"}},
           Json{{"topics", {asked, word}}, {"data", "0x"}, {"blockNumber", "0x1"}},
           Json{{"topics", {asked, "0x" + std::string(64, 'f')}}, {"data", word}, {"blockNumber", "0x1"}},
           Json{{"topics", {asked, word}}, {"data", word + std::string(64, 'f')}, {"blockNumber", "0x1"}},
           Json{{"topics", {"0x00"}}, {"data", "0x"}, {"blockNumber", "0x1"}},
           Json{{"topics", 5}, {"data", "0x"}, {"blockNumber", "0x1"}},
           Json{{"topics", {asked, word}}, {"data", "0x0"}, {"blockNumber", "0x1"}},
           Json{{"topics", Json::array()}, {"data", "0x"}, {"blockNumber", 1}},
           Json(7),
       }) {
    const Node node([&](const std::string& method, const Json&) {
      if (method == "eth_getLogs") return Result(Json::array({log}));
      // Five words do for the addresses and the terms.
      return Result("0x" + std::string(5 * 64, '0'));
    });
    ChainClient client = node.Client();
    auto game = ChainGame::At(client, {});
    ASSERT_TRUE(game.ok()) << game.status();
    EXPECT_EQ(ErrorLabel(game->Events(0).status()), "chain_node") << log;
  }
}

TEST(ChainGame, IsAtAnAddressWithOne) {
  for (const char* result :
       {"0x", "0x00", "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"}) {
    const Node node([&](const std::string&, const Json&) { return Result(result); });
    ChainClient client = node.Client();
    EXPECT_EQ(ErrorLabel(ChainGame::At(client, {}).status()), "chain_node") << result;
  }
}

}  // namespace
}  // namespace tally::server
