#include "cli/audit/work_list.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/labels.h"
#include "proof/labels.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

Digest Numbered(int number) {
  Digest digest = {};
  digest[0] = static_cast<uint8_t>(number >> 8);
  digest[1] = static_cast<uint8_t>(number);
  return digest;
}

class WorkListTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path_.string() + ending);
  }

  std::unique_ptr<WorkList> Open() {
    auto list = WorkList::Open(path_.string());
    EXPECT_TRUE(list.ok()) << list.status();
    return *std::move(list);
  }

  ListedReceipt Listed(int number, int module, std::optional<Digest> trace = {}) {
    const Claim claim = {.module = Numbered(module), .inputs = Numbered(number), .results = Numbered(number)};
    return {.file = {.path = "r" + std::to_string(number) + (trace ? "t" : ""),
                     .size = 1,
                     .modified = 2,
                     .keys = "k"},
            .receipt = SignReceipt(claim, {.trace = trace}, key_),
            .standing = {Standing::kVerified, absl::OkStatus()}};
  }
  void Add(WorkList& list, int count, int modules) {
    std::vector<ListedReceipt> receipts;
    for (int i = 0; i < count; ++i) receipts.push_back(Listed(i, i % modules));
    ASSERT_TRUE(list.Add(receipts).ok());
  }
  static FoundClaim Reproduced(const OpenClaim& claim) {
    ClaimFinding found = {{Recomputation::kReproduced, absl::OkStatus()}, {}};
    if (claim.traced) found.trace = Numbered(9);
    return FoundOf(claim, found);
  }
  static std::map<std::string, std::string> Rows(WorkList& list) {
    std::map<std::string, std::string> rows;
    EXPECT_TRUE(list.ForEachReceipt([&](const ReceiptRow& row) {
                      rows[row.path] =
                          row.standing + " " + row.standing_label + " " + row.run + " " + row.run_label;
                      return absl::OkStatus();
                    })
                    .ok());
    return rows;
  }

  fs::path path_;
  const SigningKey key_ = *SigningKey::Generate();
};

TEST_F(WorkListTest, EachBatchIsOfOneModuleAndOfOneWorker) {
  const auto list = Open(), other = Open();
  Add(*list, 10, 3);
  std::map<Digest, int> seen;
  for (int i = 0; i < 20; ++i) {
    const Batch batch = *(i % 2 ? list : other)->Take(3);
    for (const OpenClaim& claim : batch.claims) {
      EXPECT_EQ(claim.claim.module, batch.claims[0].claim.module);
      ++seen[claim.id];
    }
    EXPECT_FALSE(batch.ended);  // none has a verdict yet
  }
  EXPECT_EQ(seen.size(), 10);
  EXPECT_TRUE(std::ranges::all_of(seen, [](const auto& each) { return each.second == 1; }));
}

TEST_F(WorkListTest, VerdictsLastAndEndTheWork) {
  {
    const auto list = Open();
    Add(*list, 2, 1);
    const Batch batch = *list->Take(9);
    ASSERT_EQ(batch.claims.size(), 2);
    ASSERT_TRUE(list->Record({{Reproduced(batch.claims[0]), Reproduced(batch.claims[1])}}).ok());
  }
  const auto list = Open();
  EXPECT_TRUE(list->Take(9)->ended);
  EXPECT_EQ(Rows(*list), (std::map<std::string, std::string>{{"r0", "VERIFIED  REPRODUCED "},
                                                             {"r1", "VERIFIED  REPRODUCED "}}));
  const ListedFile file = {.path = "r0", .size = 1, .modified = 2, .keys = "k"};
  EXPECT_TRUE(*list->Has(file));
  for (const ListedFile& other : {ListedFile{.path = "r5", .size = 1, .modified = 2, .keys = "k"},
                                  ListedFile{.path = "r0", .size = 3, .modified = 2, .keys = "k"},
                                  ListedFile{.path = "r0", .size = 1, .modified = 3, .keys = "k"},
                                  ListedFile{.path = "r0", .size = 1, .modified = 2, .keys = "l"}})
    EXPECT_FALSE(*list->Has(other));
}

TEST_F(WorkListTest, ManyReceiptsOfOneClaimAreOneAudit) {
  const auto list = Open();
  std::vector<ListedReceipt> receipts(50, Listed(1, 1));
  for (size_t i = 0; i < receipts.size(); ++i) receipts[i].file.path = std::to_string(i);
  ASSERT_TRUE(list->Add(receipts).ok());
  const Batch batch = *list->Take(100);
  ASSERT_EQ(batch.claims.size(), 1);
  ASSERT_TRUE(list->Record({{Reproduced(batch.claims[0])}}).ok());
  const auto rows = Rows(*list);
  EXPECT_EQ(rows.size(), 50);
  for (const auto& [path, row] : rows) EXPECT_EQ(row, "VERIFIED  REPRODUCED ") << path;
}

TEST_F(WorkListTest, TheInputsOfAClaimAreBesideTheFirstReceiptThatHasThem) {
  const std::vector<std::pair<std::string, bool>> paths = {
      {"a", false}, {"d", true}, {"b", true}, {"c", true}};
  for (const bool reversed : {false, true}) {
    const auto list = *WorkList::Open("");
    std::vector<ListedReceipt> receipts;
    for (const auto& [path, has_inputs] : paths) {
      receipts.push_back(Listed(1, 1));
      receipts.back().file.path = path;
      receipts.back().file.has_inputs = has_inputs;
    }
    if (reversed) std::ranges::reverse(receipts);
    for (const ListedReceipt& receipt : receipts) ASSERT_TRUE(list->Add({{receipt}}).ok());
    EXPECT_EQ(list->Take(1)->claims[0].path, "b");
  }
}

TEST_F(WorkListTest, RetryOpensWhatCouldNotBeRecomputed) {
  const auto list = Open();
  Add(*list, 2, 1);
  const Batch batch = *list->Take(2);
  FoundClaim cannot = Reproduced(batch.claims[0]);
  cannot.run = Recomputation::kCannotRecompute;
  ASSERT_TRUE(list->Record({{cannot, Reproduced(batch.claims[1])}}).ok());
  EXPECT_TRUE(list->Take(2)->ended);
  ASSERT_TRUE(list->Retry().ok());
  const Batch again = *list->Take(2);
  ASSERT_EQ(again.claims.size(), 1);
  EXPECT_EQ(again.claims[0].id, batch.claims[0].id);
}

TEST_F(WorkListTest, AReceiptWithATraceOpensItsClaimAgain) {
  const auto list = Open();
  ASSERT_TRUE(list->Add({{Listed(1, 1)}}).ok());
  ASSERT_TRUE(list->Record({{Reproduced(list->Take(1)->claims[0])}}).ok());
  ASSERT_TRUE(list->Add({{Listed(1, 1, Numbered(8))}}).ok());
  const Batch batch = *list->Take(1);
  ASSERT_EQ(batch.claims.size(), 1);
  EXPECT_TRUE(batch.claims[0].traced);
  ASSERT_TRUE(list->Record({{Reproduced(batch.claims[0])}}).ok());
  EXPECT_EQ(Rows(*list), (std::map<std::string, std::string>{{"r1", "VERIFIED  REPRODUCED "},
                                                             {"r1t", "VERIFIED  DIVERGED trace_diverged"}}));
}

TEST_F(WorkListTest, AFileThatIsNoReceiptIsARow) {
  const auto list = Open();
  ListedReceipt listed = Listed(1, 1);
  listed.receipt = MakeError(label::receipt_form, "no");
  ASSERT_TRUE(list->Add({{listed}}).ok());
  EXPECT_TRUE(list->Take(1)->ended);
  EXPECT_EQ(Rows(*list), (std::map<std::string, std::string>{{"r1", " receipt_form  "}}));
}

TEST_F(WorkListTest, TheSecondVerdictChangesNothingAndAnotherOneIsAFault) {
  const auto list = Open();
  ASSERT_TRUE(list->Add({{Listed(1, 1)}}).ok());
  const OpenClaim claim = list->Take(1)->claims[0];
  FoundClaim cannot = Reproduced(claim), diverged = Reproduced(claim);
  cannot.run = Recomputation::kCannotRecompute;
  diverged.run = Recomputation::kDiverged;
  ASSERT_TRUE(list->Record({{Reproduced(claim)}}).ok());
  EXPECT_TRUE(list->Record({{Reproduced(claim)}}).ok());
  EXPECT_TRUE(list->Record({{cannot}}).ok());
  EXPECT_EQ(ErrorLabel(list->Record({{diverged}})), "audit_disagrees");
  EXPECT_EQ(Rows(*list)["r1"], "VERIFIED  REPRODUCED ");
}

TEST_F(WorkListTest, AClaimThatMayPassWaitsAndIsTriedAgain) {
  const auto list = Open();
  ASSERT_TRUE(list->Add({{Listed(1, 1)}}).ok());
  FoundClaim failed = Reproduced(list->Take(1)->claims[0]);
  failed.run = Recomputation::kCannotRecompute;
  failed.label = "store_failed";
  failed.may_pass = true;
  ASSERT_TRUE(list->Record({{failed}}).ok());
  const Batch waiting = *list->Take(1);
  EXPECT_TRUE(waiting.claims.empty());
  EXPECT_FALSE(waiting.ended);
  failed.tries = kTries - 1;  // the last one
  ASSERT_TRUE(list->Record({{failed}}).ok());
  EXPECT_TRUE(list->Take(1)->ended);
  EXPECT_EQ(Rows(*list)["r1"], "VERIFIED  CANNOT_RECOMPUTE store_failed");
}

// A process takes a batch and is killed: its claims are taken again, alone, as one of them may be why.
TEST_F(WorkListTest, TheLeasesOfADeadProcessEnd) {
  { Add(*Open(), 3, 1); }
  const pid_t child = fork();
  if (child == 0) {
    const auto list = WorkList::Open(path_.string());
    _exit(list.ok() && (*list)->Take(3)->claims.size() == 3 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const auto list = Open();
  ASSERT_TRUE(list->Add({{Listed(9, 5)}}).ok());  // its module comes later, and it is not suspect
  const Batch first = *list->Take(3);
  ASSERT_EQ(first.claims.size(), 1);
  EXPECT_EQ(first.claims[0].tries, 0);
  ASSERT_TRUE(list->Record({{Reproduced(first.claims[0])}}).ok());
  for (int i = 0; i < 3; ++i) {
    const Batch batch = *list->Take(3);
    ASSERT_EQ(batch.claims.size(), 1);
    EXPECT_EQ(batch.claims[0].tries, 1);
    ASSERT_TRUE(list->Record({{Reproduced(batch.claims[0])}}).ok());
  }
  EXPECT_TRUE(list->Take(3)->ended);
}

TEST_F(WorkListTest, ThreadsAndConnectionsWorkTogether) {
  Add(*Open(), 200, 5);
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const auto list = Open();
      for (;;) {
        const Batch batch = *list->Take(7);
        if (batch.ended) return;
        std::vector<FoundClaim> found;
        for (const OpenClaim& claim : batch.claims) found.push_back(Reproduced(claim));
        done += static_cast<int>(found.size());
        EXPECT_TRUE(list->Record(found).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 200);
}

TEST_F(WorkListTest, FilesOfOthersAreRefused) {
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_EQ(ErrorLabel(WorkList::Open(path_.string()).status()), "work_list");
  EXPECT_EQ(ErrorLabel(WorkList::Open("/no/such/folder/list").status()), "work_list");
  fs::remove(path_);
  {
    auto database = *Database::Open(path_.string(), label::work_list);
    ASSERT_TRUE(database.Execute("CREATE TABLE claims(x)").ok());
  }
  EXPECT_EQ(ErrorLabel(WorkList::Open(path_.string()).status()), "work_list");
}

}  // namespace
}  // namespace tally::cli
