#include "cli/audit/work_list_rows.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"

namespace tally::cli {
namespace {

Recomputation WordIn(const Statement& row, int column) {
  return RecomputationOf(row.Text(column)).value_or(Recomputation::kCannotRecompute);
}

}  // namespace

Digest DigestIn(const Statement& row, int column) {
  const std::vector<uint8_t> bytes = row.Bytes(column);
  Digest digest = {};
  std::copy_n(bytes.begin(), std::min(bytes.size(), digest.size()), digest.begin());
  return digest;
}

absl::StatusOr<OpenClaim> OpenClaimIn(const Statement& row) {
  ASSIGN_OR_RETURN(Claim claim, DecodeClaim(row.Bytes(2)));
  return OpenClaim{.claim = std::move(claim),
                   .id = DigestIn(row, 0),
                   .path = row.Text(3),
                   .traced = row.Integer(4) != 0,
                   .tries = row.Integer(7)};
}

absl::StatusOr<Progress> WorkList::Count() {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(
      const StatementUse counts,
      database_.Prepare("SELECT (SELECT count(*) FROM receipts), count(*), count(run) FROM claims"));
  RETURN_IF_ERROR(counts->Step().status());
  return Progress{counts->Integer(0), counts->Integer(1), counts->Integer(2)};
}

absl::Status WorkList::ForEachOpen(const std::function<absl::Status(const OpenClaim&)>& use) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const StatementUse rows,
                   database_.Prepare("SELECT id, module, claim, path, traced, owner, until, tries"
                                     " FROM claims WHERE run IS NULL ORDER BY module, id"));
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, rows->Step());
    if (!found) return absl::OkStatus();
    ASSIGN_OR_RETURN(const OpenClaim open, OpenClaimIn(*rows));
    RETURN_IF_ERROR(use(open));
  }
}

absl::Status WorkList::ForEachFound(const std::function<absl::Status(const FoundClaim&)>& use) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const StatementUse rows,
                   database_.Prepare("SELECT id, run, label, message, trace, micros, traced FROM claims"
                                     " WHERE run IS NOT NULL ORDER BY id"));
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, rows->Step());
    if (!found) return absl::OkStatus();
    FoundClaim claim = {.id = DigestIn(*rows, 0),
                        .run = WordIn(*rows, 1),
                        .label = rows->Text(2),
                        .message = rows->Text(3),
                        .traced = rows->Integer(6) != 0,
                        .micros = rows->Integer(5)};
    if (!rows->IsNull(4)) claim.trace = DigestIn(*rows, 4);
    RETURN_IF_ERROR(use(claim));
  }
}

absl::Status WorkList::ForEachReceipt(const std::function<absl::Status(const ReceiptRow&)>& use) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(
      const StatementUse rows,
      database_.Prepare(
          "SELECT r.path, r.standing, r.label, r.message, r.claim, r.trace, c.module, c.claim, c.run,"
          " c.label, c.message, c.trace, c.micros FROM receipts r LEFT JOIN claims c ON c.id = r.claim"
          " ORDER BY r.path"));
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, rows->Step());
    if (!found) return absl::OkStatus();
    ReceiptRow row = {.path = rows->Text(0),
                      .standing = rows->Text(1),
                      .standing_label = rows->Text(2),
                      .message = rows->Text(3)};
    if (!rows->IsNull(4)) row.claim = DigestIn(*rows, 4);
    if (!rows->IsNull(6)) row.module = DigestIn(*rows, 6);
    if (!rows->IsNull(8)) {
      ClaimFinding claim = {{WordIn(*rows, 8), absl::OkStatus()}, {}};
      if (!rows->IsNull(11)) claim.trace = DigestIn(*rows, 11);
      const Digest trace = DigestIn(*rows, 5);
      const Finding<Recomputation> of_receipt =
          FindingFor(rows->IsNull(5) ? std::nullopt : std::optional(trace), claim);
      row.run = NameOf(of_receipt.word);
      const bool is_traces = of_receipt.word != claim.run.word;
      row.run_label = is_traces ? ErrorLabel(of_receipt.why) : rows->Text(9);
      row.run_message = is_traces ? std::string(of_receipt.why.message()) : rows->Text(10);
      row.micros = rows->Integer(12);
    }
    RETURN_IF_ERROR(use(row));
  }
}

}  // namespace tally::cli
