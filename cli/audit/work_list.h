// The receipts of an audit and the claims that they are of, in a file that several processes of one machine
// work on at once (docs/spec/audit.md#work-list).
//
//   ASSIGN_OR_RETURN(const auto list, WorkList::Open("audit.db"));
//   RETURN_IF_ERROR(list->Add(receipts));
//   for (;;) {
//     ASSIGN_OR_RETURN(const Batch batch, list->Take(100));
//     if (batch.claims.empty()) break;
//     .. list->Record(findings);
//   }
//
// Each claim has one verdict, whoever works on it: a batch is leased to its process, and a lease ends with
// its time or its process. Whoever comes second with a verdict changes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/sqlite/database.h"
#include "cli/audit/lease.h"
#include "proof/receipt/receipt.h"
#include "proof/verify/verify_receipt.h"

namespace tally::cli {

// A file that is said to be a receipt.
struct ListedFile {
  std::string path;
  bool has_inputs = true;          // they may be beside it
  int64_t size = 0, modified = 0;  // they differ for another file
  std::string keys;                // the digest of those that its signature is checked with
};

struct ListedReceipt {
  ListedFile file;
  absl::StatusOr<Receipt> receipt;  // or why it is none
  Finding<Standing> standing;       // if it is a receipt
};

struct OpenClaim {
  Claim claim;
  Digest id;
  std::string path;     // a receipt that has inputs beside it; "" if there is none
  bool traced = false;  // a receipt names a trace
  int64_t tries = 0;    // before this one, which did not end or may pass
};

// After so many tries a finding that may pass is the verdict.
inline constexpr int64_t kTries = 10;

struct Batch {
  std::vector<OpenClaim> claims;  // all have one module
  bool ended = false;             // no claim is open any more, leased or not
};

// A ClaimFinding as lists and files have it.
struct FoundClaim {
  Digest id;
  Recomputation run = Recomputation::kCannotRecompute;
  std::string label, message;   // why; "" if it is reproduced
  std::optional<Digest> trace;  // the run's
  bool traced = false;          // the audit was asked for it: a claim whose receipts name one needs that
  int64_t micros = 0;           // that the audit took
  bool may_pass = false;        // another try may end otherwise
  int64_t tries = 0;            // as the claim's
};
FoundClaim FoundOf(const OpenClaim& open, const ClaimFinding& found);

// A receipt with its verdict, which is absent while its claim is open.
struct ReceiptRow {
  std::string path, standing, standing_label, message;  // standing is empty if the file is no receipt
  std::optional<Digest> claim, module;
  std::string run, run_label, run_message;
  int64_t micros = 0;
};

struct Progress {
  int64_t receipts = 0, claims = 0, done = 0;
};

class WorkList {
 public:
  // Opens the file or makes it; "" is a list of this process alone. Error work_list.
  static absl::StatusOr<std::unique_ptr<WorkList>> Open(const std::string& path);

  // Whether this very file is listed already.
  absl::StatusOr<bool> Has(const ListedFile& file);
  absl::Status Add(std::span<const ListedReceipt> receipts);
  // Claims without receipts, for a process that has a part of another one's list.
  absl::Status AddClaims(std::span<const OpenClaim> claims);

  // Up to `count` claims of one module that nobody works on, leased to this process. A claim that was taken
  // kTries times gets the verdict audit_unfinished.
  absl::StatusOr<Batch> Take(int64_t count);
  // Opens leased claims again that nobody has begun, as if they had not been taken.
  absl::Status Return(std::span<const Digest> ids);
  // Makes the leases of this process as long as new ones, for a batch that takes longer.
  absl::Status Renew();
  // Verdicts of leased claims, or of any that the list has. One that may pass is tried again after a while.
  // Error audit_disagrees: another process has found something else.
  absl::Status Record(std::span<const FoundClaim> found);

  // Opens the claims again that could not be recomputed.
  absl::Status Retry();

  absl::StatusOr<Progress> Count();
  // All that have no verdict, leased or not, by module.
  absl::Status ForEachOpen(const std::function<absl::Status(const OpenClaim&)>& use);
  // All that have one.
  absl::Status ForEachFound(const std::function<absl::Status(const FoundClaim&)>& use);
  // In the order of the paths.
  absl::Status ForEachReceipt(const std::function<absl::Status(const ReceiptRow&)>& use);

 private:
  explicit WorkList(Database database) : database_(std::move(database)) {}
  absl::Status MakeTables();
  // Open claims of one module that meet a condition in SQL.
  absl::Status AddOpen(const std::string& condition, int64_t count, Batch& batch);
  absl::Status LeaseTo(const Lease& lease, const Batch& batch);
  absl::Status RecordOne(const FoundClaim& found);

  std::mutex mutex_;  // a connection is in one transaction at a time
  Database database_;
};

}  // namespace tally::cli
