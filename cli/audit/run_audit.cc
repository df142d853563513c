#include "cli/audit/run_audit.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/progress_bar.h"
#include "cli/receipt_file.h"
#include "cli/report.h"
#include "proof/receipt/io_map.h"

namespace tally::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kReceiptsAtOnce = 1000;
constexpr int64_t kMostClaims = 1000;             // in a batch
constexpr int64_t kBatchMicros = 1'000'000;       // as long should a batch take
constexpr auto kShown = std::chrono::seconds(1);  // between two looks at all claims
constexpr auto kWait = std::chrono::milliseconds(200);

// Runs `work` on as many threads; the first error ends it, which the others see by `ended`.
absl::Status OnThreads(int count, const std::function<absl::Status(const std::atomic<bool>& ended)>& work) {
  std::atomic<bool> ended = false;
  std::mutex mutex;
  absl::Status first;
  std::vector<std::jthread> threads;  // if one cannot be started, the others end first
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      const absl::Status done = WithoutExceptions([&] { return work(ended); });
      if (done.ok()) return;
      ended = true;
      const std::lock_guard lock(mutex);
      if (first.ok()) first = done;
    });
  }
  for (std::jthread& thread : threads) thread.join();
  return first;
}

// Checked with the key that the receipt names, if it is one of them.
Finding<Standing> StandingBy(std::span<const PublicKey> keys, const Receipt& receipt) {
  Evidence evidence;
  const auto key = std::ranges::find_if(keys, [&](const PublicKey& k) { return k.id() == receipt.core.key; });
  if (key != keys.end()) {
    evidence.key = *key;
  } else if (!keys.empty()) {
    evidence.key = keys[0];
  }
  return VerifyReceipt(receipt, evidence).standing;
}

ListedReceipt ReadReceipt(const ListedFile& file, std::span<const PublicKey> keys) {
  ListedReceipt listed = {
      .file = file, .receipt = ReadReceiptFile(file.path), .standing = {Standing::kUnverifiable, {}}};
  if (listed.receipt.ok()) listed.standing = StandingBy(keys, *listed.receipt);
  return listed;
}

ListedFile FileOf(const FoundReceipt& found, const std::string& keys) {
  ListedFile file = {.path = found.path, .has_inputs = found.has_inputs, .keys = keys};
  std::error_code error;
  const auto size = std::filesystem::file_size(PathOf(found.path), error);
  if (!error) file.size = static_cast<int64_t>(size);
  const auto modified = std::filesystem::last_write_time(PathOf(found.path), error);
  if (!error) file.modified = static_cast<int64_t>(modified.time_since_epoch().count());
  return file;
}

// Signatures that were checked with other keys are checked anew.
std::string DigestOfKeys(std::span<const PublicKey> keys) {
  std::vector<Digest> ids;
  for (const PublicKey& key : keys) ids.push_back(key.id());
  std::ranges::sort(ids);
  return ToHex(IoMapDigest(ids));
}

FoundClaim AuditOne(const OpenClaim& open, Auditor& auditor, LooseFiles& loose) {
  const Clock::time_point start = Clock::now();
  loose.Expect(open.claim.inputs, open.path);
  const ClaimFinding finding = auditor.AuditClaim(open.claim, open.traced);
  loose.Forget(open.claim.inputs);
  FoundClaim found = FoundOf(open, finding);
  found.micros = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
  found.may_pass = Auditor::MayPass(finding.run.why);
  return found;
}

}  // namespace

absl::Status ListReceipts(std::span<const FoundReceipt> files, std::span<const PublicKey> keys, int threads,
                          WorkList& list) {
  ProgressBar bar("read receipts");
  const std::string keys_digest = DigestOfKeys(keys);
  std::mutex mutex;
  size_t next = 0;
  return OnThreads(threads, [&](const std::atomic<bool>& ended) -> absl::Status {
    while (!ended) {
      std::span<const FoundReceipt> part;
      {
        const std::lock_guard lock(mutex);
        part = files.subspan(next, std::min<size_t>(kReceiptsAtOnce, files.size() - next));
        next += part.size();
        bar.Show(static_cast<int64_t>(next), static_cast<int64_t>(files.size()));
      }
      if (part.empty()) break;
      std::vector<ListedReceipt> receipts;
      for (const FoundReceipt& found : part) {
        const ListedFile file = FileOf(found, keys_digest);
        ASSIGN_OR_RETURN(const bool has, list.Has(file));
        if (!has) receipts.push_back(ReadReceipt(file, keys));
      }
      if (!receipts.empty()) RETURN_IF_ERROR(list.Add(receipts));
    }
    return absl::OkStatus();
  });
}

absl::Status AuditClaims(WorkList& list, Auditor& auditor, LooseFiles& loose, int threads) {
  ProgressBar bar("audit claims");
  std::mutex mutex;
  Clock::time_point shown = {};
  const auto show = [&]() -> absl::Status {
    const std::lock_guard lock(mutex);
    if (Clock::now() - shown < kShown) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Progress progress, list.Count());
    bar.Show(progress.done, progress.claims);
    shown = Clock::now();
    return absl::OkStatus();
  };
  return OnThreads(threads, [&](const std::atomic<bool>& ended) -> absl::Status {
    int64_t count = 1;
    while (!ended) {
      ASSIGN_OR_RETURN(const Batch batch, list.Take(count));
      if (batch.ended) break;
      if (batch.claims.empty()) {  // others work on all that is open
        std::this_thread::sleep_for(kWait);
        continue;
      }
      const Clock::time_point start = Clock::now();
      std::vector<FoundClaim> found;
      for (const OpenClaim& open : batch.claims) found.push_back(AuditOne(open, auditor, loose));
      RETURN_IF_ERROR(list.Record(found));
      RETURN_IF_ERROR(show());
      const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
      const int64_t fit = kBatchMicros * static_cast<int64_t>(found.size()) / std::max<int64_t>(took, 1);
      count = std::clamp<int64_t>(fit, 1, std::min(kMostClaims, 4 * count));
    }
    return absl::OkStatus();
  });
}

}  // namespace tally::cli
