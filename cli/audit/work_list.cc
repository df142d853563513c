#include "cli/audit/work_list.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/audit/lease.h"
#include "cli/audit/work_list_rows.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

constexpr int64_t kApplication = 0x54616c79;  // "Taly": files of other programs are refused
constexpr int64_t kVersion = 1;
constexpr int64_t kLeaseSeconds = 600;

// The findings of one claim are in `run`, `label` and `message`; `run` is null while it is open. `trace` is
// that of the run, if `traced` asks for it. `owner` and `until` are a lease, which counts as one of the
// `tries`.
constexpr char kTables[] = R"(
CREATE TABLE IF NOT EXISTS claims(
  id BLOB PRIMARY KEY, module BLOB NOT NULL, claim BLOB NOT NULL, path TEXT, traced INTEGER NOT NULL,
  owner TEXT, until INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0,
  run TEXT, label TEXT, message TEXT, trace BLOB, micros INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS open_claims ON claims(tries, module) WHERE run IS NULL;
CREATE TABLE IF NOT EXISTS receipts(
  path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, keys TEXT NOT NULL, claim BLOB, trace BLOB,
  standing TEXT, label TEXT, message TEXT) WITHOUT ROWID;
)";

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

}  // namespace

FoundClaim FoundOf(const OpenClaim& open, const ClaimFinding& found) {
  return {.id = open.id,
          .run = found.run.word,
          .label = ErrorLabel(found.run.why),
          .message = MessageOf(found.run.why),
          .trace = found.trace,
          .traced = open.traced,
          .tries = open.tries};
}

absl::StatusOr<std::unique_ptr<WorkList>> WorkList::Open(const std::string& path) {
  ASSIGN_OR_RETURN(Database database, Database::Open(path, label::work_list));
  std::unique_ptr<WorkList> list(new WorkList(std::move(database)));
  RETURN_IF_ERROR(list->database_.Transact([&] { return list->MakeTables(); }));
  return list;
}

absl::Status WorkList::MakeTables() {
  const auto number = [&](const char* sql) -> absl::StatusOr<int64_t> {
    ASSIGN_OR_RETURN(const StatementUse statement, database_.Prepare(sql));
    RETURN_IF_ERROR(statement->Step().status());
    return statement->Integer(0);
  };
  ASSIGN_OR_RETURN(const int64_t application, number("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t version, number("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const int64_t tables, number("SELECT count(*) FROM sqlite_master"));
  if (tables > 0 && (application != kApplication || version != kVersion))
    return MakeError(label::work_list, "the file is a database of another program, or of another version");
  RETURN_IF_ERROR(database_.Execute(kTables));
  return database_.Execute(
      absl::StrCat("PRAGMA application_id = ", kApplication, "; PRAGMA user_version = ", kVersion));
}

absl::StatusOr<bool> WorkList::Has(const ListedFile& file) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(
      const StatementUse row,
      database_.Prepare(
          "SELECT 1 FROM receipts WHERE path = ?1 AND size = ?2 AND modified = ?3 AND keys = ?4"));
  row->Bind(1, file.path);
  row->Bind(2, file.size);
  row->Bind(3, file.modified);
  row->Bind(4, file.keys);
  return row->Step();
}

absl::Status WorkList::Add(std::span<const ListedReceipt> receipts) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(
      const StatementUse receipt_row,
      database_.Prepare("INSERT OR REPLACE INTO receipts VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
  // The path does not depend on which receipt came first.
  ASSIGN_OR_RETURN(
      const StatementUse claim_row,
      database_.Prepare("INSERT INTO claims(id, module, claim, path, traced) VALUES(?1, ?2, ?3, ?4, ?5)"
                        " ON CONFLICT(id) DO UPDATE SET path ="
                        " coalesce(min(path, excluded.path), path, excluded.path)"));
  // A claim that was audited without its trace is open again when a receipt names one.
  ASSIGN_OR_RETURN(
      const StatementUse traced,
      database_.Prepare("UPDATE claims SET traced = 1, run = NULL, owner = NULL, until = 0, tries = 0"
                        " WHERE id = ?1 AND traced = 0"));
  return database_.Transact([&]() -> absl::Status {
    for (const ListedReceipt& listed : receipts) {
      receipt_row->Bind(1, listed.file.path);
      receipt_row->Bind(2, listed.file.size);
      receipt_row->Bind(3, listed.file.modified);
      receipt_row->Bind(4, listed.file.keys);
      const absl::Status& why = listed.receipt.ok() ? listed.standing.why : listed.receipt.status();
      if (listed.receipt.ok()) {
        const Receipt& receipt = *listed.receipt;
        const Digest id = ClaimId(receipt.claim);
        receipt_row->Bind(5, id);
        if (receipt.core.trace) receipt_row->Bind(6, *receipt.core.trace);
        receipt_row->Bind(7, NameOf(listed.standing.word));
        claim_row->Bind(1, id);
        claim_row->Bind(2, receipt.claim.module);
        claim_row->Bind(3, EncodeClaim(receipt.claim));
        if (listed.file.has_inputs) claim_row->Bind(4, listed.file.path);
        claim_row->Bind(5, int64_t{receipt.core.trace.has_value()});
        RETURN_IF_ERROR(claim_row->Run());
        if (receipt.core.trace) {
          traced->Bind(1, id);
          RETURN_IF_ERROR(traced->Run());
        }
      }
      receipt_row->Bind(8, ErrorLabel(why));
      receipt_row->Bind(9, MessageOf(why));
      RETURN_IF_ERROR(receipt_row->Run());
    }
    return absl::OkStatus();
  });
}

absl::Status WorkList::AddClaims(std::span<const OpenClaim> claims) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const StatementUse row,
                   database_.Prepare("INSERT OR IGNORE INTO claims(id, module, claim, traced)"
                                     " VALUES(?1, ?2, ?3, ?4)"));
  return database_.Transact([&]() -> absl::Status {
    for (const OpenClaim& open : claims) {
      row->Bind(1, open.id);
      row->Bind(2, open.claim.module);
      row->Bind(3, EncodeClaim(open.claim));
      row->Bind(4, int64_t{open.traced});
      RETURN_IF_ERROR(row->Run());
    }
    return absl::OkStatus();
  });
}

absl::Status WorkList::Retry() {
  const std::lock_guard lock(mutex_);
  return database_.Execute("UPDATE claims SET run = NULL, owner = NULL, until = 0, tries = 0 WHERE run = '" +
                           std::string(NameOf(Recomputation::kCannotRecompute)) + "'");
}

absl::StatusOr<Batch> WorkList::Take(int64_t count) {
  const std::lock_guard lock(mutex_);
  Batch batch = {.ended = true};
  RETURN_IF_ERROR(database_.Transact([&]() -> absl::Status {
    RETURN_IF_ERROR(AddOpen(" AND tries = 0", count, batch));
    // A claim that was taken before may be why its process ended: it comes last, in a batch of its own.
    if (batch.claims.empty()) RETURN_IF_ERROR(AddOpen(" AND tries > 0", 1, batch));
    return LeaseTo(Lease::OfThisProcess(kLeaseSeconds), batch);
  }));
  return batch;
}

absl::Status WorkList::AddOpen(const std::string& condition, int64_t count, Batch& batch) {
  ASSIGN_OR_RETURN(const StatementUse open,
                   database_.Prepare("SELECT id, module, claim, path, traced, owner, until, tries FROM claims"
                                     " INDEXED BY open_claims WHERE run IS NULL" +
                                     condition + " ORDER BY tries, module"));
  std::optional<Digest> module;
  std::vector<OpenClaim> given_up;
  while (static_cast<int64_t>(batch.claims.size()) < count) {
    ASSIGN_OR_RETURN(const bool found, open->Step());
    if (!found) break;
    batch.ended = false;
    const Digest of = DigestIn(*open, 1);
    if (module && *module != of) break;
    if (Lease{open->Text(5), open->Integer(6)}.Holds()) continue;
    ASSIGN_OR_RETURN(OpenClaim one, OpenClaimIn(*open));
    if (one.tries >= kTries) {
      given_up.push_back(std::move(one));
      continue;
    }
    module = of;
    batch.claims.push_back(std::move(one));
  }
  for (const OpenClaim& one : given_up) {
    const absl::Status why = MakeError(
        label::audit_unfinished, absl::StrCat("none of ", one.tries, " audits of the claim came to an end"));
    RETURN_IF_ERROR(RecordOne(FoundOf(one, {{Recomputation::kCannotRecompute, why}, {}})));
  }
  return absl::OkStatus();
}

absl::Status WorkList::LeaseTo(const Lease& lease, const Batch& batch) {
  ASSIGN_OR_RETURN(const StatementUse row, database_.Prepare("UPDATE claims SET owner = ?2, until = ?3,"
                                                             " tries = tries + 1 WHERE id = ?1"));
  for (const OpenClaim& claim : batch.claims) {
    row->Bind(1, claim.id);
    row->Bind(2, lease.owner);
    row->Bind(3, lease.until);
    RETURN_IF_ERROR(row->Run());
  }
  return absl::OkStatus();
}

absl::Status WorkList::Renew() {
  const std::lock_guard lock(mutex_);
  const Lease lease = Lease::OfThisProcess(kLeaseSeconds);
  ASSIGN_OR_RETURN(const StatementUse row,
                   database_.Prepare("UPDATE claims SET until = ?2 WHERE run IS NULL AND owner = ?1"));
  row->Bind(1, lease.owner);
  row->Bind(2, lease.until);
  return row->Run();
}

absl::Status WorkList::Return(std::span<const Digest> ids) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const StatementUse row,
                   database_.Prepare("UPDATE claims SET owner = NULL, until = 0, tries = tries - 1"
                                     " WHERE id = ?1 AND run IS NULL"));
  return database_.Transact([&]() -> absl::Status {
    for (const Digest& id : ids) {
      row->Bind(1, id);
      RETURN_IF_ERROR(row->Run());
    }
    return absl::OkStatus();
  });
}

absl::Status WorkList::Record(std::span<const FoundClaim> found) {
  const std::lock_guard lock(mutex_);
  return database_.Transact([&]() -> absl::Status {
    for (const FoundClaim& one : found) RETURN_IF_ERROR(RecordOne(one));
    return absl::OkStatus();
  });
}

absl::Status WorkList::RecordOne(const FoundClaim& one) {
  const std::string run(NameOf(one.run));
  if (one.may_pass && one.tries + 1 < kTries) {
    ASSIGN_OR_RETURN(
        const StatementUse again,
        database_.Prepare("UPDATE claims SET owner = ?2, until = ?3 WHERE id = ?1 AND run IS NULL"));
    const Lease later = Lease::OfNobody(std::min<int64_t>(int64_t{1} << one.tries, 60));
    again->Bind(1, one.id);
    again->Bind(2, later.owner);
    again->Bind(3, later.until);
    return again->Run();
  }
  ASSIGN_OR_RETURN(
      const StatementUse verdict,
      database_.Prepare("UPDATE claims SET run = ?2, label = ?3, message = ?4, trace = ?5, micros = ?6"
                        " WHERE id = ?1 AND run IS NULL AND traced <= ?7"));
  verdict->Bind(1, one.id);
  verdict->Bind(2, run);
  verdict->Bind(3, one.label);
  verdict->Bind(4, one.message);
  if (one.trace) verdict->Bind(5, *one.trace);
  verdict->Bind(6, one.micros);
  verdict->Bind(7, int64_t{one.traced});
  RETURN_IF_ERROR(verdict->Run());
  if (database_.Changes() > 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const StatementUse other,
                   database_.Prepare("SELECT run, label FROM claims WHERE id = ?1"));
  other->Bind(1, one.id);
  ASSIGN_OR_RETURN(const bool found, other->Step());
  // Runs that could not be made differ between machines and times; runs that were made do not.
  const std::string cannot(NameOf(Recomputation::kCannotRecompute));
  if (!found || other->IsNull(0) || other->Text(0) == run || other->Text(0) == cannot || run == cannot)
    return absl::OkStatus();
  return MakeError(label::audit_disagrees, absl::StrCat("claim ", ToHex(one.id), " is ", run, " here and ",
                                                        other->Text(0), " elsewhere"));
}

}  // namespace tally::cli
