#include "proof/receipt/receipt.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/io/file.h"
#include "proof/receipt/dsse.h"

namespace tally {
namespace {

Receipt Example() {
  Claim claim{.gas = 7, .results = Digest{4}, .limit = {}};
  claim.module = {1};
  return SignReceipt(claim, {.nonce = Digest{5}, .issued_at = 6}, *SigningKey::Generate());
}

std::string LabelOf(std::string_view text) { return ErrorLabel(ReceiptFromJson(text).status()); }

TEST(Receipt, ComesBackFromItsFile) {
  const Receipt receipt = Example();
  const auto again = ReceiptFromJson(ToJson(receipt));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->claim, receipt.claim);
  EXPECT_EQ(again->core, receipt.core);
  EXPECT_EQ(again->signature, receipt.signature);
  EXPECT_EQ(again->core.claim, ClaimId(receipt.claim));
}

// A file says one thing: other text is refused, or it is another receipt, whose signature does not hold.
TEST(Receipt, NoByteOfTheFileCanBeAnother) {
  const SigningKey key = *SigningKey::Generate();
  const Receipt receipt = SignReceipt({.gas = 7, .results = Digest{4}, .limit = {}}, {}, key);
  const std::string text = ToJson(receipt);
  int read = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    for (const char c :
         {static_cast<char>(text[at] ^ 1), static_cast<char>(text[at] ^ 0x20), ' ', '"', 'A', '\0'}) {
      if (c == text[at]) continue;
      std::string other = text;
      other[at] = c;
      const auto decoded = ReceiptFromJson(other);
      if (!decoded.ok()) {
        ASSERT_NE(ErrorLabel(decoded.status()), "") << at;
        continue;
      }
      ++read;  // another signature; or another claim or core whose views do not disagree with it
      ASSERT_FALSE(
          key.public_key().id() == decoded->core.key &&
          key.public_key().Verifies(AsBytes(SignedBytes(decoded->claim, decoded->core)), decoded->signature))
          << at;
    }
  }
  EXPECT_GT(read, 50);
}

TEST(Receipt, RefusesOtherJson) {
  const std::string text = ToJson(Example());
  EXPECT_EQ(LabelOf(""), "receipt_form");
  EXPECT_EQ(LabelOf("[]"), "receipt_form");
  EXPECT_EQ(LabelOf("{}"), "receipt_form");
  EXPECT_EQ(LabelOf(R"({"payload": 5})"), "receipt_form");
  EXPECT_EQ(LabelOf(R"({"payload": "!"})"), "receipt_form");
  EXPECT_EQ(LabelOf(R"({"payload": "e30="})"), "receipt_form");
  EXPECT_EQ(LabelOf(std::string(10'000, '[')), "receipt_form");
  EXPECT_EQ(LabelOf(std::string(kMaxReceiptBytes + 1, ' ')), "receipt_form");
  EXPECT_EQ(LabelOf(text.substr(0, text.size() - 1)), "receipt_form");  // the last line break
  EXPECT_EQ(LabelOf(" " + text), "receipt_form");
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text);
  EXPECT_EQ(LabelOf(json.dump(2)), "receipt_form");
  json["signatures"].push_back(json["signatures"][0]);
  EXPECT_EQ(LabelOf(json.dump() + "\n"), "receipt_form");
  json["signatures"] = nlohmann::json::array();
  EXPECT_EQ(LabelOf(json.dump() + "\n"), "receipt_form");
}

// The text that people read in the statement is that of its CBOR.
TEST(Receipt, ViewsThatDisagreeWithTheCborAreRefused) {
  const std::string text = ToJson(Example());
  nlohmann::ordered_json envelope = nlohmann::ordered_json::parse(text);
  const auto bytes = *FromBase64(envelope["payload"].get<std::string>());
  const auto statement = nlohmann::ordered_json::parse(bytes.begin(), bytes.end());
  const std::string paths[] = {"/_type",
                               "/subject/0/name",
                               "/subject/0/digest/tallyIoMap",
                               "/predicateType",
                               "/predicate/module",
                               "/predicate/inputs",
                               "/predicate/status",
                               "/predicate/gas",
                               "/predicate/issuedAt",
                               "/predicate/nonce"};
  for (const std::string& path : paths) {
    auto other = statement;
    const nlohmann::ordered_json::json_pointer pointer(path);
    ASSERT_TRUE(other.contains(pointer)) << path;
    other[pointer] = other[pointer].is_number() ? nlohmann::ordered_json(99) : nlohmann::ordered_json("x");
    envelope["payload"] = ToBase64(AsBytes(other.dump()));
    EXPECT_EQ(LabelOf(envelope.dump() + "\n"), "receipt_form") << path;
  }
}

}  // namespace
}  // namespace tally
