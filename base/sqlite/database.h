// An SQLite database: statements that are prepared once, and transactions.
//
//   ASSIGN_OR_RETURN(Database database, Database::Open("audit.db", label::work_list));
//   ASSIGN_OR_RETURN(const StatementUse row, database.Prepare("SELECT path FROM receipts WHERE claim = ?1"));
//   row->Bind(1, claim);
//   for (;;) { ASSIGN_OR_RETURN(const bool found, row->Step()); if (!found) break; use(row->Text(0)); }
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tally {

enum class ColumnKind { kNull, kInteger, kText, kBytes };

class Statement {
 public:
  // Parameters count from 1, columns from 0. Text and bytes are copied.
  void Bind(int parameter, int64_t value);
  void Bind(int parameter, std::string_view text);
  void Bind(int parameter, std::span<const uint8_t> bytes);
  void BindNull(int parameter);

  // Whether there is a row. Error: the refusal that the database was opened with.
  absl::StatusOr<bool> Step();
  // Runs a statement that gives no rows, and makes it ready for the next parameters.
  absl::Status Run();
  void Reset();

  int Columns() const;
  ColumnKind KindOf(int column) const;  // in the row that Step has found
  bool IsNull(int column) const { return KindOf(column) == ColumnKind::kNull; }
  int64_t Integer(int column) const;
  std::string Text(int column) const;
  std::vector<uint8_t> Bytes(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3_stmt* statement, Label refusal) : statement_(statement), refusal_(refusal) {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  Label refusal_;
};

// Ends with the statement reset: one that is not keeps others from writing.
struct ResetStatement {
  void operator()(Statement* statement) const { statement->Reset(); }
};
using StatementUse = std::unique_ptr<Statement, ResetStatement>;

class Database {
 public:
  // Opens the file or makes it; "" is a database in memory. Several processes may use one file; who finds it
  // locked waits for a minute. Error `refusal`, now and in all that follows.
  static absl::StatusOr<Database> Open(const std::string& path, Label refusal);

  // A statement with no parameters yet, which is prepared once. One use of it ends before the next begins.
  absl::StatusOr<StatementUse> Prepare(const std::string& sql);
  absl::Status Execute(const std::string& sql);  // statements without parameters
  int64_t Changes() const;                       // rows that the last statement has changed

  // Runs `body` in a transaction that may write, and takes it back if that fails.
  template <typename Body>
  absl::Status Transact(const Body& body) {
    if (absl::Status begun = Execute("BEGIN IMMEDIATE"); !begun.ok()) return begun;
    absl::Status done = body();
    if (done.ok()) done = Execute("COMMIT");
    if (!done.ok()) Execute("ROLLBACK").IgnoreError();
    return done;
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  Database(sqlite3* database, Label refusal) : database_(database), refusal_(refusal) {}

  std::unique_ptr<sqlite3, Close> database_;
  Label refusal_;
  std::unordered_map<std::string, Statement> prepared_;  // finalized before the database is closed
};

}  // namespace tally
