#include "server/store/store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "base/error.h"
#include "server/store/receipt_writer.h"

namespace tally::server {
namespace {

// Each test has a database of its own: SQLite in a file, or a schema of the server that
// TALLY_TEST_POSTGRES names.
class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* postgres = std::getenv("TALLY_TEST_POSTGRES");
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    if (postgres != nullptr) {
      auto database = *OpenSqlConnection(postgres);
      ASSERT_TRUE(database->Run("DROP SCHEMA IF EXISTS \"" + name + "\" CASCADE", {}).ok());
      ASSERT_TRUE(database->Run("CREATE SCHEMA \"" + name + "\"", {}).ok());
      const std::string url = postgres;
      url_ = url + (url.find('?') == std::string::npos ? "?" : "&") + "options=-csearch_path%3D%22" + name +
             "%22";
      return;
    }
    path_ = std::filesystem::path(testing::TempDir()) /
            ("store-" + name + "-" + std::to_string(getpid()) + ".db");
    url_ = path_.string();
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path_.string() + end);
  }

  static Digest DigestOf(uint8_t byte) {
    Digest digest = {};
    digest.fill(byte);
    return digest;
  }

  static SignedRun Run(uint8_t number, int64_t issued_at) {
    return {.receipt = DigestOf(number),
            .claim = DigestOf(100),
            .module = DigestOf(200),
            .inputs = DigestOf(50),
            .nonce = DigestOf(number),
            .trace = {},
            .issued_at = issued_at,
            .text = "receipt " + std::to_string(number),
            .objects = {{ObjectKind::kTensor, DigestOf(number), std::vector<uint8_t>(1000, number)},
                        {ObjectKind::kIoMap, DigestOf(50), {0, 1, 2, 255}}}};
  }

  std::string url_;
  std::filesystem::path path_;
};

TEST_F(StoreTest, GivesBackWhatItWasGiven) {
  auto store = *Store::Open(url_);
  const SignedRun runs[] = {Run(1, 1000), Run(2, 1001)};
  ASSERT_TRUE(store->Add(runs).ok());
  EXPECT_EQ(*store->ReceiptOf(DigestOf(100), std::nullopt), "receipt 2");
  EXPECT_EQ(*store->ReceiptOf(DigestOf(100), DigestOf(1)), "receipt 1");
  EXPECT_EQ(*store->Object(ObjectKind::kIoMap, DigestOf(50)), (std::vector<uint8_t>{0, 1, 2, 255}));
  EXPECT_EQ(ErrorLabel(store->ReceiptOf(DigestOf(100), DigestOf(3)).status()), "receipt_unknown");
  EXPECT_EQ(ErrorLabel(store->ReceiptOf(DigestOf(99), std::nullopt).status()), "receipt_unknown");
  EXPECT_EQ(ErrorLabel(store->Object(ObjectKind::kTensor, DigestOf(50)).status()), "store_missing");
  EXPECT_EQ(store->Totals()->receipts, 2);
  EXPECT_EQ(store->Totals()->objects, 3);
  EXPECT_EQ(store->Totals()->bytes, 2000 + 4 + 18);
}

TEST_F(StoreTest, NoBytesAreNotNull) {
  auto store = *Store::Open(url_);
  ASSERT_TRUE(store->AddObject({ObjectKind::kTensor, DigestOf(1), {}}, 1).ok());
  EXPECT_TRUE(store->Object(ObjectKind::kTensor, DigestOf(1))->empty());
}

TEST_F(StoreTest, TwoServersShareIt) {
  auto one = *Store::Open(url_);
  auto two = *Store::Open(url_);
  ASSERT_TRUE(one->Add(std::vector{Run(1, 1000)}).ok());
  EXPECT_EQ(*two->ReceiptOf(DigestOf(100), DigestOf(1)), "receipt 1");
  ASSERT_TRUE(two->Add(std::vector{Run(1, 1000), Run(2, 1000)}).ok());  // one of them is there
  EXPECT_EQ(one->Totals()->receipts, 2);
  ASSERT_TRUE(one->AddKey({DigestOf(1), "old", 5}).ok());
  ASSERT_TRUE(two->AddKey({DigestOf(2), "new", 6}).ok());
  ASSERT_TRUE(two->AddKey({DigestOf(1), "old", 7}).ok());
  const std::vector<StoredKey> keys = *one->Keys();
  ASSERT_EQ(keys.size(), 2);
  EXPECT_EQ(keys[0].pem, "old");
  EXPECT_EQ(keys[0].since, 5);
  EXPECT_EQ(keys[1].key, DigestOf(2));
}

TEST_F(StoreTest, OldInputsAndReceiptsAreDeleted) {
  auto store = *Store::Open(url_);
  ASSERT_TRUE(store->Add(std::vector{Run(1, 1000), Run(2, 2000)}).ok());
  ASSERT_TRUE(store->AddObject({ObjectKind::kModule, DigestOf(200), {7}}, 500).ok());
  ASSERT_TRUE(store->Retain({.inputs_seconds = 500, .receipts_seconds = {}, .bytes = {}}, 2000).ok());
  EXPECT_FALSE(store->Object(ObjectKind::kTensor, DigestOf(1)).ok());
  EXPECT_TRUE(store->Object(ObjectKind::kIoMap, DigestOf(50)).ok()) << "the second run has named it again";
  EXPECT_TRUE(store->Object(ObjectKind::kModule, DigestOf(200)).ok()) << "receipts name it";
  EXPECT_EQ(store->Totals()->receipts, 2);
  ASSERT_TRUE(store->Retain({.inputs_seconds = 0, .receipts_seconds = 999, .bytes = {}}, 3000).ok());
  EXPECT_EQ(store->Totals()->receipts, 0);
  EXPECT_EQ(store->Totals()->objects, 0);
}

TEST_F(StoreTest, TheOldestGoWhereThereAreTooManyBytes) {
  auto store = *Store::Open(url_);
  std::vector<SignedRun> runs;
  for (int i = 0; i < 250; ++i) runs.push_back(Run(static_cast<uint8_t>(i), 1000 + i));
  for (int i = 0; i < 250; ++i) {
    runs.push_back(Run(static_cast<uint8_t>(i), 2000 + i));
    runs.back().receipt = DigestOf(static_cast<uint8_t>(i));
    runs.back().receipt[0] ^= 0xff;
    runs.back().objects[0].digest[0] ^= 0xff;
  }
  ASSERT_TRUE(store->Add(runs).ok());
  const int64_t before = store->Totals()->objects;
  ASSERT_TRUE(store->Retain({.inputs_seconds = {}, .receipts_seconds = {}, .bytes = 400'000}, 0).ok());
  EXPECT_LE(store->Totals()->bytes, 400'000);
  EXPECT_GT(store->Totals()->objects, 0);
  EXPECT_LT(store->Totals()->objects, before);
  EXPECT_EQ(store->Totals()->receipts, 500);
  EXPECT_TRUE(store->Object(ObjectKind::kTensor, runs.back().objects[0].digest).ok());
  ASSERT_TRUE(store->Retain({.inputs_seconds = {}, .receipts_seconds = {}, .bytes = 0}, 0).ok());
  EXPECT_EQ(store->Totals()->receipts, 0);
}

TEST_F(StoreTest, AReceiptIsAcknowledgedWhenOthersSeeIt) {
  auto store = *Store::Open(url_);
  auto other = *Store::Open(url_);
  ReceiptWriter writer(*store);
  std::vector<std::promise<absl::Status>> written(200);
  for (size_t i = 0; i < written.size(); ++i)
    writer.Add(Run(static_cast<uint8_t>(i), 1000),
               [&, i](const absl::Status& s) { written[i].set_value(s); });
  for (size_t i = 0; i < written.size(); ++i) {
    ASSERT_TRUE(written[i].get_future().get().ok());
    ASSERT_TRUE(other->ReceiptOf(DigestOf(100), DigestOf(static_cast<uint8_t>(i))).ok());
  }
}

TEST_F(StoreTest, ATransactionThatFailsLeavesNothing) {
  auto database = *OpenSqlConnection(url_);
  ASSERT_TRUE(database->Run("CREATE TABLE t (a BIGINT)", {}).ok());
  const absl::Status failed = database->Transact([&]() -> absl::Status {
    EXPECT_TRUE(database->Run("INSERT INTO t (a) VALUES ($1)", {int64_t{7}}).ok());
    return database->Run("INSERT INTO missing (a) VALUES (1)", {}).status();
  });
  EXPECT_EQ(ErrorLabel(failed), "server_store");
  EXPECT_EQ(std::get<int64_t>((*database->Run("SELECT COUNT(*) FROM t", {}))[0][0]), 0);
}

TEST_F(StoreTest, AStoreOfALaterReleaseIsRefused) {
  { auto store = *Store::Open(url_); }
  {
    auto database = *OpenSqlConnection(url_);
    ASSERT_TRUE(database->Run("INSERT INTO tally_steps (step) VALUES (1000)", {}).ok());
  }
  EXPECT_EQ(ErrorLabel(Store::Open(url_).status()), "server_store");
}

}  // namespace
}  // namespace tally::server
