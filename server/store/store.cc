#include "server/store/store.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "server/labels.h"
#include "server/store/store_tables.h"

namespace tally::server {
namespace {

SqlValue ValueOf(const Digest& digest) { return SqlBytes(digest.begin(), digest.end()); }
SqlValue ValueOf(const std::optional<Digest>& digest) {
  return digest ? ValueOf(*digest) : SqlValue(std::monostate());
}

int64_t IntegerOf(const SqlValue& value) {
  const auto* integer = std::get_if<int64_t>(&value);
  return integer == nullptr ? 0 : *integer;  // NULL: a sum of no rows
}

constexpr int64_t kDeletedAtOnce = 256;

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const std::string& url) {
  ASSIGN_OR_RETURN(std::unique_ptr<SqlConnection> writer, OpenSqlConnection(url));
  RETURN_IF_ERROR(MigrateTables(*writer));
  ASSIGN_OR_RETURN(std::unique_ptr<SqlConnection> reader, OpenSqlConnection(url));
  return std::unique_ptr<Store>(new Store(std::move(writer), std::move(reader)));
}

absl::StatusOr<SqlRows> Store::Read(const std::string& sql, const std::vector<SqlValue>& parameters) {
  const std::lock_guard lock(reading_);
  return reader_->Run(sql, parameters);
}

absl::Status Store::Write(const std::string& sql, const std::vector<SqlValue>& parameters) {
  return writer_->Run(sql, parameters).status();
}

absl::Status Store::PutObject(const StoredObject& object, int64_t now) {
  // Large contents travel once: those that are there are only used anew.
  ASSIGN_OR_RETURN(
      const SqlRows used,
      writer_->Run("UPDATE objects SET used_at = CASE WHEN used_at < $1 THEN $1 ELSE used_at END "
                   "WHERE kind = $2 AND digest = $3 RETURNING 1",
                   {now, static_cast<int64_t>(object.kind), ValueOf(object.digest)}));
  if (!used.empty()) return absl::OkStatus();
  return Write(
      "INSERT INTO objects (kind, digest, size, used_at, content) VALUES ($1, $2, $3, $4, $5) "
      "ON CONFLICT DO NOTHING",
      {static_cast<int64_t>(object.kind), ValueOf(object.digest), static_cast<int64_t>(object.bytes.size()),
       now, object.bytes});
}

absl::Status Store::Add(std::span<const SignedRun> runs) {
  const std::lock_guard lock(writing_);
  return writer_->Transact([&]() -> absl::Status {
    for (const SignedRun& run : runs) {
      for (const StoredObject& object : run.objects) RETURN_IF_ERROR(PutObject(object, run.issued_at));
      RETURN_IF_ERROR(
          Write("INSERT INTO receipts (receipt, claim, module, inputs, nonce, trace, issued_at, text) "
                "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
                {ValueOf(run.receipt), ValueOf(run.claim), ValueOf(run.module), ValueOf(run.inputs),
                 ValueOf(run.nonce), ValueOf(run.trace), run.issued_at, run.text}));
    }
    return absl::OkStatus();
  });
}

absl::Status Store::AddObject(const StoredObject& object, int64_t now) {
  const std::lock_guard lock(writing_);
  return writer_->Transact([&] { return PutObject(object, now); });
}

absl::Status Store::AddKey(const StoredKey& key) {
  const std::lock_guard lock(writing_);
  return Write("INSERT INTO keys (key, pem, since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
               {ValueOf(key.key), key.pem, key.since});
}

absl::StatusOr<std::string> Store::ReceiptOf(const Digest& claim, const std::optional<Digest>& nonce) {
  constexpr char kOfClaim[] = "SELECT text FROM receipts WHERE claim = $1 ORDER BY issued_at DESC LIMIT 1";
  constexpr char kOfNonce[] =
      "SELECT text FROM receipts WHERE claim = $1 AND nonce = $2 ORDER BY issued_at DESC LIMIT 1";
  ASSIGN_OR_RETURN(const SqlRows rows, nonce ? Read(kOfNonce, {ValueOf(claim), ValueOf(nonce)})
                                             : Read(kOfClaim, {ValueOf(claim)}));
  if (rows.empty())
    return MakeError(label::receipt_unknown, absl::StrCat("there is no receipt of claim ", ToHex(claim),
                                                          nonce ? " with this nonce" : ""));
  return std::get<std::string>(rows[0][0]);
}

absl::StatusOr<std::string> Store::ReceiptWithId(const Digest& receipt) {
  ASSIGN_OR_RETURN(const SqlRows rows,
                   Read("SELECT text FROM receipts WHERE receipt = $1", {ValueOf(receipt)}));
  if (rows.empty())
    return MakeError(label::receipt_unknown, absl::StrCat("there is no receipt ", ToHex(receipt)));
  return std::get<std::string>(rows[0][0]);
}

absl::StatusOr<std::vector<uint8_t>> Store::Object(ObjectKind kind, const Digest& digest) {
  auto rows = Read("SELECT content FROM objects WHERE kind = $1 AND digest = $2",
                   {static_cast<int64_t>(kind), ValueOf(digest)});
  if (!rows.ok()) return MakeError(label::store_failed, std::string(rows.status().message()));
  if (rows->empty())
    return MakeError(label::store_missing, absl::StrCat(ObjectPath(kind, digest), " is missing"));
  return std::get<SqlBytes>(std::move((*rows)[0][0]));
}

absl::StatusOr<std::vector<StoredKey>> Store::Keys() {
  ASSIGN_OR_RETURN(const SqlRows rows, Read("SELECT key, pem, since FROM keys ORDER BY since, key", {}));
  std::vector<StoredKey> keys;
  for (const std::vector<SqlValue>& row : rows) {
    StoredKey& key = keys.emplace_back();
    const SqlBytes& id = std::get<SqlBytes>(row[0]);
    if (id.size() == key.key.size()) std::ranges::copy(id, key.key.begin());
    key.pem = std::get<std::string>(row[1]);
    key.since = IntegerOf(row[2]);
  }
  return keys;
}

absl::Status Store::Retain(const Retention& retention, int64_t now) {
  const std::lock_guard lock(writing_);
  const auto module = static_cast<int64_t>(ObjectKind::kModule);
  if (retention.receipts_seconds) {
    RETURN_IF_ERROR(Write("DELETE FROM receipts WHERE issued_at < $1", {now - *retention.receipts_seconds}));
  }
  if (retention.inputs_seconds) {
    RETURN_IF_ERROR(Write("DELETE FROM objects WHERE used_at < $1 AND kind <> $2",
                          {now - *retention.inputs_seconds, module}));
    RETURN_IF_ERROR(
        Write("DELETE FROM objects WHERE used_at < $1 AND kind = $2 AND NOT EXISTS "
              "(SELECT 1 FROM receipts WHERE receipts.module = objects.digest)",
              {now - *retention.inputs_seconds, module}));
  }
  return retention.bytes ? RetainBytes(*retention.bytes) : absl::OkStatus();
}

absl::Status Store::RetainBytes(int64_t most) {
  const auto module = static_cast<int64_t>(ObjectKind::kModule);
  for (const bool of_objects : {true, false}) {
    for (;;) {
      ASSIGN_OR_RETURN(const SqlRows sums,
                       writer_->Run("SELECT (SELECT SUM(size) FROM objects), (SELECT SUM(LENGTH(text)) FROM "
                                    "receipts)",
                                    {}));
      if (IntegerOf(sums[0][0]) + IntegerOf(sums[0][1]) <= most) return absl::OkStatus();
      ASSIGN_OR_RETURN(
          const SqlRows deleted,
          of_objects
              ? writer_->Run("DELETE FROM objects WHERE (kind, digest) IN (SELECT kind, digest FROM objects "
                             "WHERE kind <> $1 ORDER BY used_at LIMIT $2) RETURNING 1",
                             {module, kDeletedAtOnce})
              : writer_->Run("DELETE FROM receipts WHERE receipt IN (SELECT receipt FROM receipts ORDER BY "
                             "issued_at LIMIT $1) RETURNING 1",
                             {kDeletedAtOnce}));
      if (deleted.empty()) break;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<StoreTotals> Store::Totals() {
  ASSIGN_OR_RETURN(const SqlRows rows,
                   Read("SELECT (SELECT COUNT(*) FROM receipts), (SELECT COUNT(*) FROM objects), "
                        "(SELECT SUM(size) FROM objects), (SELECT SUM(LENGTH(text)) FROM receipts)",
                        {}));
  return StoreTotals{IntegerOf(rows[0][0]), IntegerOf(rows[0][1]),
                     IntegerOf(rows[0][2]) + IntegerOf(rows[0][3])};
}

}  // namespace tally::server
