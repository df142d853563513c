#include "base/sqlite/database.h"

#include <sqlite3.h>

#include "base/printable.h"
#include "base/strings.h"

namespace tally {
namespace {

constexpr int kBusyMilliseconds = 60'000;

absl::Status Failed(sqlite3* database, Label refusal) {
  return MakeError(refusal, Printable(sqlite3_errmsg(database)));
}

}  // namespace

void Statement::Bind(int parameter, int64_t value) { sqlite3_bind_int64(statement_.get(), parameter, value); }

void Statement::Bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Statement::Bind(int parameter, std::span<const uint8_t> bytes) {
  // No bytes may have no address, which would bind NULL.
  if (bytes.empty()) {
    sqlite3_bind_zeroblob(statement_.get(), parameter, 0);
  } else {
    sqlite3_bind_blob64(statement_.get(), parameter, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  }
}

void Statement::BindNull(int parameter) { sqlite3_bind_null(statement_.get(), parameter); }

absl::StatusOr<bool> Statement::Step() {
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW: return true;
    case SQLITE_DONE: return false;
    default: return Failed(sqlite3_db_handle(statement_.get()), refusal_);
  }
}

absl::Status Statement::Run() {
  const absl::StatusOr<bool> done = Step();
  Reset();
  return done.status();
}

void Statement::Reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

int Statement::Columns() const { return sqlite3_column_count(statement_.get()); }

ColumnKind Statement::KindOf(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_NULL: return ColumnKind::kNull;
    case SQLITE_BLOB: return ColumnKind::kBytes;
    case SQLITE_TEXT: return ColumnKind::kText;
    default: return ColumnKind::kInteger;  // no table of ours has reals
  }
}

int64_t Statement::Integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return text == nullptr ? "" : std::string(text, sqlite3_column_bytes(statement_.get(), column));
}

std::vector<uint8_t> Statement::Bytes(int column) const {
  const auto* bytes = static_cast<const uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  return {bytes, bytes + sqlite3_column_bytes(statement_.get(), column)};
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

absl::StatusOr<Database> Database::Open(const std::string& path, Label refusal) {
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
  const int result = sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &opened, flags, nullptr);
  Database database(opened, refusal);
  if (result != SQLITE_OK) return Failed(opened, refusal);
  sqlite3_busy_timeout(opened, kBusyMilliseconds);
  // A log beside the file: readers do not wait for who writes. A verdict that a power failure takes back is
  // found again.
  if (absl::Status set = database.Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
      !set.ok())
    return set;
  return database;
}

absl::StatusOr<StatementUse> Database::Prepare(const std::string& sql) {
  if (const auto found = prepared_.find(sql); found != prepared_.end()) return StatementUse(&found->second);
  sqlite3_stmt* statement = nullptr;
  const int result =
      sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (result != SQLITE_OK) return Failed(database_.get(), refusal_);
  return StatementUse(&prepared_.emplace(sql, Statement(statement, refusal_)).first->second);
}

absl::Status Database::Execute(const std::string& sql) {
  const int result = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return result == SQLITE_OK ? absl::OkStatus() : Failed(database_.get(), refusal_);
}

int64_t Database::Changes() const { return sqlite3_changes64(database_.get()); }

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

}  // namespace tally
