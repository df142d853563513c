#include <utility>

#include "base/io/file.h"
#include "base/sqlite/database.h"
#include "base/status_macros.h"
#include "server/labels.h"
#include "server/store/sql_connection.h"

namespace tally::server {
namespace {

class InSqlite final : public SqlConnection {
 public:
  explicit InSqlite(Database database) : database_(std::move(database)) {}

  absl::StatusOr<SqlRows> Run(const std::string& sql, const std::vector<SqlValue>& parameters) override {
    ASSIGN_OR_RETURN(const StatementUse statement, database_.Prepare(sql));
    for (size_t i = 0; i < parameters.size(); ++i) Bind(*statement, static_cast<int>(i) + 1, parameters[i]);
    SqlRows rows;
    for (;;) {
      ASSIGN_OR_RETURN(const bool found, statement->Step());
      if (!found) return rows;
      std::vector<SqlValue>& row = rows.emplace_back();
      for (int column = 0; column < statement->Columns(); ++column) row.push_back(Read(*statement, column));
    }
  }

  absl::Status Transact(const std::function<absl::Status()>& body, bool) override {
    return database_.Transact(body);  // SQLite has one writer in any case
  }

  std::string BytesType() const override { return "BLOB"; }

 private:
  static void Bind(Statement& statement, int parameter, const SqlValue& value) {
    if (const auto* integer = std::get_if<int64_t>(&value)) return statement.Bind(parameter, *integer);
    if (const auto* text = std::get_if<std::string>(&value))
      return statement.Bind(parameter, std::string_view(*text));
    if (const auto* bytes = std::get_if<SqlBytes>(&value))
      return statement.Bind(parameter, std::span<const uint8_t>(*bytes));
    statement.BindNull(parameter);
  }
  static SqlValue Read(const Statement& statement, int column) {
    switch (statement.KindOf(column)) {
      case ColumnKind::kInteger: return statement.Integer(column);
      case ColumnKind::kText: return statement.Text(column);
      case ColumnKind::kBytes: return statement.Bytes(column);
      case ColumnKind::kNull: break;
    }
    return std::monostate();
  }

  Database database_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SqlConnection>> SqliteConnection(const std::string& path) {
  std::string at;  // in memory
  if (path != ":memory:") {
    ASSIGN_OR_RETURN(at, WritablePath(path));
  }
  ASSIGN_OR_RETURN(Database database, Database::Open(at, label::server_store));
  // A commit is on the disk when it returns: a receipt outlives a power failure.
  RETURN_IF_ERROR(database.Execute("PRAGMA synchronous = FULL"));
  return std::make_unique<InSqlite>(std::move(database));
}

}  // namespace tally::server
