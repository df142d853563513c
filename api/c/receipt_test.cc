// Keys and receipts through the C interface.
#include "proof/receipt/receipt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "api/c/testing/c_case.h"

namespace tally::api {
namespace {

class ReceiptTest : public testing::Test {
 protected:
  ReceiptTest() {
    EXPECT_EQ(tally_key_generate(&key_, nullptr), TALLY_OK);
    EXPECT_EQ(tally_key_public(key_, &public_key_, nullptr), TALLY_OK);
  }
  ~ReceiptTest() override {
    EXPECT_EQ(tally_plan_close(plan_), TALLY_OK);
    EXPECT_EQ(tally_key_close(key_), TALLY_OK);
    EXPECT_EQ(tally_public_key_close(public_key_), TALLY_OK);
  }

  // Runs on x and signs; the label of the refusal, or "".
  std::string Sign(tally_receipt* receipt, bool trace = false, const uint8_t* nonce = nullptr) {
    const tally_tensor input = Dense(x_), result = Dense(y_);
    tally_receipt_options options = {};
    options.size = sizeof options;
    options.nonce = nonce;
    options.trace = trace;
    Error error;
    tally_plan_run_signed(plan_, &input, 1, &result, 1, nullptr, key_, &options, receipt, &error);
    return error.label;
  }
  static tally_receipt_info Info(tally_receipt receipt) {
    tally_receipt_info info = {};
    info.size = sizeof info;
    EXPECT_EQ(tally_receipt_get_info(receipt, &info, nullptr), TALLY_OK);
    return info;
  }
  static std::string Text(tally_receipt receipt) {
    std::string text(1 << 16, '\0');
    size_t size = 0;
    EXPECT_EQ(tally_receipt_text(receipt, text.data(), text.size(), &size, nullptr), TALLY_OK);
    text.resize(size);
    return text;
  }
  // "WORD label"
  std::string Verify(tally_receipt receipt, const uint8_t* nonce = nullptr,
                     const uint8_t* results = nullptr) {
    tally_evidence evidence = {};
    evidence.size = sizeof evidence;
    evidence.key = public_key_;
    evidence.nonce = nonce;
    evidence.results = results;
    return Said(
        [&](tally_finding* finding) { return tally_receipt_verify(receipt, &evidence, finding, nullptr); });
  }
  std::string Recompute(tally_receipt receipt) {
    const tally_tensor input = Dense(x_);
    return Said([&](tally_finding* finding) {
      return tally_receipt_recompute(receipt, plan_, &input, 1, nullptr, finding, nullptr);
    });
  }
  template <typename Ask>
  static std::string Said(const Ask& ask) {
    tally_finding finding = {};
    finding.size = sizeof finding;
    EXPECT_EQ(ask(&finding), TALLY_OK);
    EXPECT_EQ(finding.holds == 1, finding.label[0] == '\0');
    return std::string(finding.word) + " " + finding.label;
  }

  tally_plan plan_ = MakePlan(kNegative);
  tally_key key_ = {};
  tally_public_key public_key_ = {};
  std::vector<int8_t> x_ = {1, 2, 3, 4, 5, 6}, y_ = std::vector<int8_t>(6);
};

TEST_F(ReceiptTest, SignsWhatTheRunGave) {
  tally_receipt receipt = {};
  const std::vector<uint8_t> nonce(32, 9);
  EXPECT_EQ(Sign(&receipt, true, nonce.data()), "");
  EXPECT_EQ(y_, (std::vector<int8_t>{-1, -2, -3, -4, -5, -6}));
  const tally_receipt_info info = Info(receipt);
  EXPECT_STREQ(info.status, "ok");
  EXPECT_EQ(info.has_results, 1);
  EXPECT_EQ(info.has_trace, 1);
  EXPECT_EQ(info.has_nonce, 1);
  EXPECT_EQ(info.has_origin, 0);
  EXPECT_GT(info.issued_at, 1'700'000'000u);
  uint8_t id[32];
  EXPECT_EQ(tally_public_key_id(public_key_, id, nullptr), TALLY_OK);
  EXPECT_EQ(std::memcmp(id, info.key, 32), 0);
  EXPECT_EQ(Verify(receipt, nonce.data(), info.results), "VERIFIED ");
  EXPECT_EQ(Recompute(receipt), "REPRODUCED ");
  const std::vector<uint8_t> other(32, 8);
  EXPECT_EQ(Verify(receipt, other.data()), "REFUTED receipt_nonce");
  EXPECT_EQ(Verify(receipt, nullptr, other.data()), "REFUTED receipt_results");
  x_[0] = 2;
  EXPECT_EQ(Recompute(receipt), "CANNOT_RECOMPUTE claim_inputs");
  EXPECT_EQ(tally_receipt_close(receipt), TALLY_OK);
}

TEST_F(ReceiptTest, SignsARefusalToo) {
  tally_receipt receipt = {};
  x_[0] = 101;
  EXPECT_EQ(Sign(&receipt), "input_interval");
  EXPECT_STREQ(Info(receipt).status, "input_interval");
  EXPECT_EQ(Info(receipt).has_results, 0);
  EXPECT_EQ(Verify(receipt), "VERIFIED ");
  EXPECT_EQ(Recompute(receipt), "REPRODUCED ");
  EXPECT_EQ(tally_receipt_close(receipt), TALLY_OK);
}

TEST_F(ReceiptTest, IsATextThatEveryByteOfCounts) {
  tally_receipt receipt = {}, read = {};
  EXPECT_EQ(Sign(&receipt), "");
  std::string text = Text(receipt);
  EXPECT_TRUE(ReceiptFromJson(text).ok());
  ASSERT_EQ(tally_receipt_parse(text.data(), text.size(), &read, nullptr), TALLY_OK);
  EXPECT_EQ(Text(read), text);
  EXPECT_EQ(Verify(read), "VERIFIED ");
  EXPECT_EQ(tally_receipt_close(read), TALLY_OK);
  text[text.size() / 2] ^= 1;
  Error error;
  const bool reads = tally_receipt_parse(text.data(), text.size(), &read, &error) == TALLY_OK;
  EXPECT_TRUE(!reads || Verify(read) != "VERIFIED ") << error.message;
  text.resize(kMaxReceiptBytes + 1);
  EXPECT_NE(tally_receipt_parse(text.data(), text.size(), &read, &error), TALLY_OK);
  EXPECT_STREQ(error.label, "file_size");
  size_t size = 0;
  char few[8];
  EXPECT_EQ(tally_receipt_text(receipt, few, sizeof few, &size, &error), TALLY_OUT_OF_RANGE);
  EXPECT_STREQ(error.label, "api_buffer");
  EXPECT_EQ(size, Text(receipt).size());
  std::vector<char> without_zero(size), with_zero(size + 1);
  EXPECT_EQ(tally_receipt_text(receipt, without_zero.data(), size, &size, nullptr), TALLY_OUT_OF_RANGE);
  EXPECT_EQ(tally_receipt_text(receipt, with_zero.data(), size + 1, &size, nullptr), TALLY_OK);
  EXPECT_EQ(tally_receipt_close(receipt), TALLY_OK);
}

TEST_F(ReceiptTest, KeysAreTextToo) {
  char pem[256], public_pem[256];
  size_t size = 0, public_size = 0;
  ASSERT_EQ(tally_key_pem(key_, pem, sizeof pem, &size, nullptr), TALLY_OK);
  ASSERT_EQ(tally_public_key_pem(public_key_, public_pem, sizeof public_pem, &public_size, nullptr),
            TALLY_OK);
  tally_key key = {};
  tally_public_key public_key = {}, same = {};
  ASSERT_EQ(tally_key_from_pem(pem, size, &key, nullptr), TALLY_OK);
  ASSERT_EQ(tally_key_public(key, &public_key, nullptr), TALLY_OK);
  ASSERT_EQ(tally_public_key_from_pem(public_pem, public_size, &same, nullptr), TALLY_OK);
  uint8_t ids[2][32];
  EXPECT_EQ(tally_public_key_id(public_key, ids[0], nullptr), TALLY_OK);
  EXPECT_EQ(tally_public_key_id(same, ids[1], nullptr), TALLY_OK);
  EXPECT_EQ(std::memcmp(ids[0], ids[1], 32), 0);
  Error error;
  EXPECT_NE(tally_key_from_pem(public_pem, public_size, &key, &error), TALLY_OK);
  EXPECT_STREQ(error.label, "key_format");
}

TEST_F(ReceiptTest, NamesTheDigestsOfTensors) {
  tally_receipt receipt = {};
  EXPECT_EQ(Sign(&receipt), "");
  const tally_module module = Load(kNegative);
  const tally_tensor input = Dense(x_), result = Dense(y_);
  uint8_t inputs[32], results[32];
  EXPECT_EQ(tally_module_inputs_digest(module, &input, 1, inputs, nullptr), TALLY_OK);
  EXPECT_EQ(tally_module_results_digest(module, &result, 1, results, nullptr), TALLY_OK);
  EXPECT_EQ(std::memcmp(inputs, Info(receipt).inputs, 32), 0);
  EXPECT_EQ(std::memcmp(results, Info(receipt).results, 32), 0);
  EXPECT_EQ(tally_receipt_close(receipt), TALLY_OK);
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
}

TEST_F(ReceiptTest, ARunWithAnObserverIsNotSigned) {
  const tally_tensor input = Dense(x_), result = Dense(y_);
  tally_run_options options = {};
  options.size = sizeof options;
  options.observer = [](void*, const tally_observed*) {};
  options.show = TALLY_SHOW_ROOTS;
  tally_receipt receipt = {};
  Error error;
  EXPECT_NE(tally_plan_run_signed(plan_, &input, 1, &result, 1, &options, key_, nullptr, &receipt, &error),
            TALLY_OK);
  EXPECT_STREQ(error.label, "api_option");
  EXPECT_EQ(receipt.handle, 0u);
}

}  // namespace
}  // namespace tally::api
