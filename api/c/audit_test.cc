// Audits through the C interface.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "api/c/testing/c_case.h"
#include "base/tensor.h"
#include "proof/audit/keep_run.h"
#include "proof/audit/object_store.h"
#include "proof/receipt/claim_run.h"
#include "serializer/decode.h"

namespace tally::api {
namespace {

namespace fs = std::filesystem;

// A function that is a store of files, and may be made to fail.
struct Store {
  fs::path folder;
  tally_status fails = TALLY_OK;
  int asked = 0;

  static tally_status Get(void* user, const char* name, tally_object* object) {
    Store& store = *static_cast<Store*>(user);
    ++store.asked;
    if (store.fails != TALLY_OK) {
      tally_object_explain(object, "the disk is away");
      return store.fails;
    }
    std::ifstream file(store.folder / name, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    tally_object_set(object, bytes.data(), bytes.size());
    return TALLY_OK;
  }
};

class AuditTest : public testing::Test {
 protected:
  void SetUp() override {
    store_.folder =
        fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(store_.folder);
    const std::vector<uint8_t> bytes = Bytes(kNegative);
    const auto module = Validate(*Decode(bytes));
    const Tensor x = *Tensor::FromValues(*Shape::Create({2, 3}), {1, 2, 3, 4, 5, 6});
    const TensorView inputs[] = {x.view()};
    ASSERT_TRUE(KeepRun(store_.folder.string(), *module, ClaimedModule(*module).id, inputs).ok());
    ASSERT_EQ(tally_key_generate(&key_, nullptr), TALLY_OK);
    ASSERT_EQ(tally_key_public(key_, &public_key_, nullptr), TALLY_OK);
    const tally_plan plan = MakePlan(kNegative);
    std::vector<int8_t> from = {1, 2, 3, 4, 5, 6}, to(6);
    const tally_tensor input = Dense(from), result = Dense(to);
    ASSERT_EQ(tally_plan_run_signed(plan, &input, 1, &result, 1, nullptr, key_, nullptr, &receipt_, nullptr),
              TALLY_OK);
    EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
  }
  void TearDown() override {
    EXPECT_EQ(tally_receipt_close(receipt_), TALLY_OK);
    EXPECT_EQ(tally_key_close(key_), TALLY_OK);
    EXPECT_EQ(tally_public_key_close(public_key_), TALLY_OK);
    fs::remove_all(store_.folder);
  }

  tally_auditor_options Options() {
    tally_auditor_options options = {};
    options.size = sizeof options;
    options.get = &Store::Get;
    options.user = &store_;
    return options;
  }
  static std::string MakeError(const tally_auditor_options& options) {
    tally_auditor auditor = {};
    Error error;
    EXPECT_NE(tally_auditor_make(&options, &auditor, &error), TALLY_OK);
    EXPECT_EQ(auditor.handle, 0u);
    return error.label;
  }
  // "STANDING label RUN label", with "!" where another try may end otherwise.
  std::string Audited(tally_auditor auditor) {
    tally_evidence evidence = {};
    evidence.size = sizeof evidence;
    evidence.key = public_key_;
    tally_finding standing = {}, run = {};
    standing.size = run.size = sizeof run;
    EXPECT_EQ(tally_audit(auditor, receipt_, &evidence, &standing, &run, nullptr), TALLY_OK);
    message_ = run.message;
    return std::string(standing.word) + " " + standing.label + " " + run.word + " " + run.label +
           (run.may_pass == 1 ? "!" : "");
  }
  std::string Audited(const tally_auditor_options& options) {
    tally_auditor auditor = {};
    Error error;
    EXPECT_EQ(tally_auditor_make(&options, &auditor, &error), TALLY_OK) << error.message;
    const std::string said = Audited(auditor);
    EXPECT_EQ(tally_auditor_close(auditor), TALLY_OK);
    return said;
  }

  Store store_;
  tally_key key_ = {};
  tally_public_key public_key_ = {};
  tally_receipt receipt_ = {};
  std::string message_;
};

TEST_F(AuditTest, AStoreIsAFolderOrAFunction) {
  EXPECT_EQ(Audited(Options()), "VERIFIED  REPRODUCED ");
  EXPECT_EQ(store_.asked, 3);  // the module, the io-map, one input
  tally_auditor_options options = Options();
  const std::string folder = store_.folder.string();
  options.folder = folder.c_str();
  EXPECT_EQ(MakeError(options), "api_option");
  options.get = nullptr;
  EXPECT_EQ(Audited(options), "VERIFIED  REPRODUCED ");
  options.engine = "formal";
  EXPECT_EQ(Audited(options), "VERIFIED  REPRODUCED ");
  options.folder = nullptr;
  EXPECT_EQ(MakeError(options), "api_option");
}

TEST_F(AuditTest, WhatAStoreDoesNotGiveDecidesNothing) {
  tally_auditor auditor = {};
  const tally_auditor_options options = Options();
  ASSERT_EQ(tally_auditor_make(&options, &auditor, nullptr), TALLY_OK);
  store_.fails = TALLY_NOT_FOUND;
  EXPECT_EQ(Audited(auditor), "VERIFIED  CANNOT_RECOMPUTE store_missing");
  store_.fails = TALLY_UNAVAILABLE;
  EXPECT_EQ(Audited(auditor), "VERIFIED  CANNOT_RECOMPUTE store_failed!");
  EXPECT_NE(message_.find("the disk is away"), std::string::npos) << message_;
  store_.fails = TALLY_OK;
  store_.folder += ".other";
  EXPECT_EQ(Audited(auditor), "VERIFIED  CANNOT_RECOMPUTE store_content");
  store_.folder.replace_extension();
  EXPECT_EQ(Audited(auditor), "VERIFIED  REPRODUCED ");
  EXPECT_EQ(tally_auditor_close(auditor), TALLY_OK);
  EXPECT_EQ(tally_auditor_close(auditor), TALLY_INVALID_ARGUMENT);
  EXPECT_EQ(tally_audit(auditor, receipt_, nullptr, nullptr, nullptr, nullptr), TALLY_INVALID_ARGUMENT);
}

TEST_F(AuditTest, AClaimIsAuditedForAllItsReceipts) {
  std::vector<uint8_t> claim(256), trace(32);
  size_t size = 0;
  EXPECT_EQ(tally_receipt_claim(receipt_, claim.data(), 8, &size, nullptr), TALLY_OUT_OF_RANGE);
  ASSERT_EQ(tally_receipt_claim(receipt_, claim.data(), claim.size(), &size, nullptr), TALLY_OK);
  tally_auditor auditor = {};
  const tally_auditor_options options = Options();
  ASSERT_EQ(tally_auditor_make(&options, &auditor, nullptr), TALLY_OK);
  tally_finding run = {};
  run.size = sizeof run;
  int32_t has_trace = 7;
  const auto audit = [&](size_t bytes, bool traced) {
    return tally_audit_claim(auditor, claim.data(), bytes, traced, &run, trace.data(), &has_trace, nullptr);
  };
  ASSERT_EQ(audit(size, false), TALLY_OK);
  EXPECT_STREQ(run.word, "REPRODUCED");
  EXPECT_EQ(has_trace, 0);
  ASSERT_EQ(audit(size, true), TALLY_OK);
  EXPECT_EQ(has_trace, 1);
  EXPECT_NE(trace, std::vector<uint8_t>(32));
  EXPECT_EQ(audit(size - 1, false), TALLY_INVALID_ARGUMENT);
  EXPECT_EQ(tally_auditor_close(auditor), TALLY_OK);
}

TEST_F(AuditTest, LimitsAndOptionsAreTheAuditors) {
  tally_auditor_options options = Options();
  options.gas_limit = 1;
  EXPECT_EQ(Audited(options), "VERIFIED  CANNOT_RECOMPUTE gas_limit");
  options.gas_limit = -1;
  EXPECT_EQ(MakeError(options), "api_option");
  options = Options();
  options.engine = "abacus";
  EXPECT_EQ(MakeError(options), "engine_unavailable");
  options = Options();
  options.threads = 1025;
  EXPECT_EQ(MakeError(options), "api_option");
  options.threads = 0;
  options.products = 2;
  EXPECT_EQ(MakeError(options), "api_option");
}

}  // namespace
}  // namespace tally::api
