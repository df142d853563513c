#include "server/store/store_tables.h"

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"

namespace tally::server {
namespace {

// The statements of each step; BYTES is the database's type. A step that was released never changes.
const std::vector<std::vector<const char*>> kSteps = {
    {
        // A claim has many receipts: the newest, or that with a nonce, is asked for.
        "CREATE TABLE receipts (receipt BYTES PRIMARY KEY, claim BYTES NOT NULL, module BYTES NOT NULL, "
        "inputs BYTES NOT NULL, nonce BYTES, trace BYTES, issued_at BIGINT NOT NULL, text TEXT NOT NULL)",
        "CREATE INDEX receipts_by_claim ON receipts (claim, issued_at)",
        "CREATE INDEX receipts_by_nonce ON receipts (nonce, claim)",
        "CREATE INDEX receipts_by_age ON receipts (issued_at)",
        "CREATE INDEX receipts_by_module ON receipts (module)",
        // By kind (proof/audit/object_store.h) and digest; `used_at` is when the last receipt named it.
        "CREATE TABLE objects (kind BIGINT NOT NULL, digest BYTES NOT NULL, size BIGINT NOT NULL, "
        "used_at BIGINT NOT NULL, content BYTES NOT NULL, PRIMARY KEY (kind, digest))",
        "CREATE INDEX objects_by_age ON objects (used_at)",
        "CREATE TABLE keys (key BYTES PRIMARY KEY, pem TEXT NOT NULL, since BIGINT NOT NULL)",
    },
};

std::string WithBytesType(std::string sql, const std::string& type) {
  for (size_t at = sql.find("BYTES"); at != std::string::npos; at = sql.find("BYTES", at + type.size()))
    sql.replace(at, 5, type);
  return sql;
}

}  // namespace

absl::Status MigrateTables(SqlConnection& database) {
  return database.Transact(
      [&]() -> absl::Status {
        RETURN_IF_ERROR(
            database.Run("CREATE TABLE IF NOT EXISTS tally_steps (step BIGINT PRIMARY KEY)", {}).status());
        ASSIGN_OR_RETURN(const SqlRows rows, database.Run("SELECT COUNT(*) FROM tally_steps", {}));
        const auto done = static_cast<size_t>(std::get<int64_t>(rows[0][0]));
        if (done > kSteps.size())
          return MakeError(label::server_store, "the store was made by a later release of tally");
        for (size_t step = done; step < kSteps.size(); ++step) {
          for (const char* sql : kSteps[step])
            RETURN_IF_ERROR(database.Run(WithBytesType(sql, database.BytesType()), {}).status());
          RETURN_IF_ERROR(
              database.Run("INSERT INTO tally_steps (step) VALUES ($1)", {static_cast<int64_t>(step)})
                  .status());
        }
        return absl::OkStatus();
      },
      /*alone=*/true);
}

}  // namespace tally::server
