#include "proof/audit/auditor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/io/file.h"
#include "proof/audit/keep_run.h"
#include "proof/audit/object_store.h"
#include "proof/labels.h"
#include "proof/receipt/io_map.h"
#include "proof/trace/trace.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const ValidModule> Relu(int limit) {
  auto module = Assemble("tally 1\nprofile core\nparam %0 \"x\" [3] in [-" + std::to_string(limit) +
                         ", 100]\n%1 = relu %0\nresult %1 \"y\"\n");
  EXPECT_TRUE(module.ok()) << module.status();
  return std::make_shared<const ValidModule>(*Validate(*std::move(module)));
}

Tensor Three(int64_t a, int64_t b, int64_t c) { return *Tensor::FromValues(*Shape::Create({3}), {a, b, c}); }

class AuditorTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Runs `module`, keeps module and inputs in the folder, and signs the claim.
  Receipt RunKept(const std::shared_ptr<const ValidModule>& module, const Tensor& x,
                  const ExecuteOptions& limits = {}) {
    const ClaimedModule claimed(*module);
    const TensorView inputs[] = {x.view()};
    EXPECT_TRUE(KeepRun(folder_.string(), *module, claimed.id, inputs).ok());
    ExecuteOptions options = limits;
    Trace trace;
    options.root_observer = RecordInto(trace);
    const absl::StatusOr<Outcome> outcome = (*MakePlan("reference", module))->Execute(inputs, options);
    ReceiptCore core = {.issued_at = 1};
    if (outcome.ok()) core.trace = TraceDigest(trace);
    return SignReceipt(*ClaimOfRun(claimed, inputs, outcome, limits), core, key_);
  }

  std::string Audited(const Receipt& receipt, AuditOptions options = {}) {
    const ObjectStore store(FolderObjects(folder_.string()));
    const Verdict verdict = Auditor(store, std::move(options)).Audit(receipt, {.key = key_.public_key()});
    EXPECT_EQ(verdict.standing.word, Standing::kVerified) << verdict.standing.why;
    return std::string(NameOf(verdict.recomputation.word)) + " " + ErrorLabel(verdict.recomputation.why);
  }

  fs::path PathOfObject(ObjectKind kind, const Digest& digest) { return folder_ / ObjectPath(kind, digest); }
  fs::path TensorPath(const Tensor& x) {
    const std::vector<Digest> digests = DigestsOf(module_->functions()[0].params, {{x.view()}});
    return PathOfObject(ObjectKind::kTensor, digests[0]);
  }

  fs::path folder_;
  const std::shared_ptr<const ValidModule> module_ = Relu(100);
  const SigningKey key_ = *SigningKey::Generate();
  const Tensor x_ = Three(-1, 2, 3);
};

TEST_F(AuditorTest, AKeptRunIsReproduced) {
  const Receipt receipt = RunKept(module_, x_);
  ASSERT_TRUE(receipt.core.trace);
  EXPECT_EQ(Audited(receipt), "REPRODUCED ");
  EXPECT_EQ(Audited(receipt), "REPRODUCED ");
}

TEST_F(AuditorTest, ARefusedRunIsReproducedAndHasNoTrace) {
  Receipt receipt = RunKept(module_, Three(-101, 0, 0));
  EXPECT_EQ(receipt.claim.status, "input_interval");
  EXPECT_EQ(Audited(receipt), "REPRODUCED ");
  receipt = SignReceipt(receipt.claim, {.trace = Digest{1}}, key_);
  EXPECT_EQ(Audited(receipt), "DIVERGED trace_diverged");
}

TEST_F(AuditorTest, AWrongClaimAndAWrongTraceDiverge) {
  const Receipt receipt = RunKept(module_, x_);
  Claim claim = receipt.claim;
  claim.results = Digest{7};
  EXPECT_EQ(Audited(SignReceipt(claim, {}, key_)), "DIVERGED claim_diverged");
  claim = receipt.claim;
  ++claim.gas;
  EXPECT_EQ(Audited(SignReceipt(claim, {}, key_)), "DIVERGED claim_diverged");
  EXPECT_EQ(Audited(SignReceipt(receipt.claim, {.trace = Digest{1}}, key_)), "DIVERGED trace_diverged");
}

TEST_F(AuditorTest, AMissingObjectIsNamed) {
  const Receipt receipt = RunKept(module_, x_);
  for (const fs::path& path : {TensorPath(x_), PathOfObject(ObjectKind::kIoMap, receipt.claim.inputs),
                               PathOfObject(ObjectKind::kModule, receipt.claim.module)}) {
    ASSERT_TRUE(fs::remove(path)) << path;
    EXPECT_EQ(Audited(receipt), "CANNOT_RECOMPUTE store_missing");
  }
}

TEST_F(AuditorTest, ObjectsThatAreNotWhatTheirNamesSayDecideNothing) {
  const Receipt receipt = RunKept(module_, x_);
  const Tensor other = Three(4, 5, 6);
  const Receipt second = RunKept(Relu(50), other);
  const auto put = [](const fs::path& from, const fs::path& to) {
    fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  };
  const fs::path tensor = TensorPath(x_), map = PathOfObject(ObjectKind::kIoMap, receipt.claim.inputs),
                 module = PathOfObject(ObjectKind::kModule, receipt.claim.module);
  put(TensorPath(other), tensor);
  EXPECT_EQ(Audited(receipt), "CANNOT_RECOMPUTE claim_inputs");
  put(PathOfObject(ObjectKind::kIoMap, second.claim.inputs), map);
  EXPECT_EQ(Audited(receipt), "CANNOT_RECOMPUTE store_content");
  put(PathOfObject(ObjectKind::kModule, second.claim.module), module);
  EXPECT_EQ(Audited(receipt), "CANNOT_RECOMPUTE store_content");  // the map, before the module is compared
  ASSERT_TRUE(WriteFileAtomically(module.string(), AsBytes("no module")).ok());
  EXPECT_EQ(Audited(receipt), "CANNOT_RECOMPUTE store_content");
  ASSERT_TRUE(RunKept(module_, x_).core.trace);  // objects that are there stay
  EXPECT_EQ(Audited(receipt), "CANNOT_RECOMPUTE store_content");
}

TEST_F(AuditorTest, AnotherModuleUnderTheNameIsTheOneOfNoClaim) {
  const Receipt receipt = RunKept(module_, x_), second = RunKept(Relu(50), x_);
  fs::copy_file(PathOfObject(ObjectKind::kModule, second.claim.module),
                PathOfObject(ObjectKind::kModule, receipt.claim.module),
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(Audited(receipt), "CANNOT_RECOMPUTE claim_module");
}

TEST_F(AuditorTest, LinksInAStoreAreRefused) {
  const Receipt receipt = RunKept(module_, x_);
  const fs::path tensor = TensorPath(x_), outside = folder_.string() + "_outside";
  fs::rename(tensor, outside);
  fs::create_symlink(outside, tensor);
  EXPECT_EQ(Audited(receipt), "CANNOT_RECOMPUTE store_content");
  fs::remove(tensor);
  fs::rename(outside, tensor);
  EXPECT_EQ(Audited(receipt), "REPRODUCED ");
  const fs::path modules = folder_ / "modules";
  fs::rename(modules, outside);
  fs::create_directory_symlink(outside, modules);
  EXPECT_EQ(Audited(receipt), "CANNOT_RECOMPUTE store_content");
  fs::remove_all(outside);
}

TEST_F(AuditorTest, AFolderInThePlaceOfAnObjectDecidesNothing) {
  const Receipt receipt = RunKept(module_, x_);
  fs::remove(TensorPath(x_));
  fs::create_directory(TensorPath(x_));
  EXPECT_EQ(Audited(receipt), "CANNOT_RECOMPUTE store_content");
}

TEST_F(AuditorTest, TheAuditorsLimitsHold) {
  const Receipt receipt = RunKept(module_, x_);
  EXPECT_EQ(Audited(receipt, {.limits = {.gas_limit = 1}}), "CANNOT_RECOMPUTE gas_limit");
  EXPECT_EQ(Audited(receipt, {.engine = "abacus"}), "CANNOT_RECOMPUTE engine_unavailable");
  // No plan is made for a module that is beyond them.
  EXPECT_EQ(Audited(receipt, {.engine = "abacus", .limits = {.gas_limit = 1}}), "CANNOT_RECOMPUTE gas_limit");
}

TEST_F(AuditorTest, AModuleIsLoadedOnceForAllItsClaims) {
  const Receipt a = RunKept(module_, x_), b = RunKept(module_, Three(4, 5, 6)), c = RunKept(Relu(50), x_);
  for (const int64_t kept_bytes : {int64_t{1} << 30, int64_t{0}}) {
    int modules = 0;
    const ObjectStore store(
        [&, get = FolderObjects(folder_.string())](ObjectKind kind, const Digest& digest) {
          modules += kind == ObjectKind::kModule;
          return get(kind, digest);
        });
    Auditor auditor(store, {.kept_bytes = kept_bytes});
    for (const Receipt* receipt : {&a, &b, &a, &c, &b, &a}) {
      const Verdict verdict = auditor.Audit(*receipt, {});
      EXPECT_EQ(verdict.recomputation.word, Recomputation::kReproduced) << verdict.recomputation.why;
    }
    EXPECT_EQ(modules, kept_bytes == 0 ? 3 : 2);
  }
}

TEST_F(AuditorTest, AStoreThatFailsMayPass) {
  const Receipt receipt = RunKept(module_, x_);
  std::atomic<int> calls = 0;
  const ObjectStore store([&, get = FolderObjects(folder_.string())](
                              ObjectKind kind, const Digest& digest) -> absl::StatusOr<std::vector<uint8_t>> {
    if (calls++ == 0) return MakeError(label::store_failed, "503");
    return get(kind, digest);
  });
  Auditor auditor(store, {});
  const Finding<Recomputation> first = auditor.AuditClaim(receipt.claim, false).run;
  EXPECT_EQ(ErrorLabel(first.why), "store_failed");
  EXPECT_TRUE(Auditor::MayPass(first.why));
  EXPECT_EQ(auditor.AuditClaim(receipt.claim, false).run.word, Recomputation::kReproduced);
  fs::remove(TensorPath(x_));
  EXPECT_FALSE(Auditor::MayPass(auditor.AuditClaim(receipt.claim, false).run.why));
}

TEST_F(AuditorTest, ThreadsShareAnAuditor) {
  std::vector<Receipt> receipts;
  for (int i = 0; i < 6; ++i) receipts.push_back(RunKept(Relu(100 + i % 3), Three(i, -i, 1)));
  const ObjectStore store(FolderObjects(folder_.string()));
  Auditor auditor(store, {.kept_bytes = 0});
  std::atomic<int> reproduced = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 24; ++i) {
        const Verdict verdict =
            auditor.Audit(receipts[(i + t) % receipts.size()], {.key = key_.public_key()});
        reproduced += verdict.recomputation.word == Recomputation::kReproduced;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(reproduced, 4 * 24);
}

}  // namespace
}  // namespace tally
