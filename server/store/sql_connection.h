// A connection to a database, whichever it is: SQLite in a file, or PostgreSQL.
//
//   ASSIGN_OR_RETURN(const auto database, OpenSqlConnection("postgresql://db/tally"));
//   ASSIGN_OR_RETURN(const SqlRows rows, database->Run("SELECT text FROM receipts WHERE claim = $1", {claim}));
//
// Both take one dialect of SQL: parameters are $1, $2, ... in the order in which the statement names them
// first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tally::server {

using SqlBytes = std::vector<uint8_t>;
using SqlValue = std::variant<std::monostate, int64_t, std::string, SqlBytes>;  // the first is NULL
using SqlRows = std::vector<std::vector<SqlValue>>;

// One thread at a time. Error of all: server_store. After one the next call connects anew where it has to.
class SqlConnection {
 public:
  virtual ~SqlConnection() = default;

  // One statement.
  virtual absl::StatusOr<SqlRows> Run(const std::string& sql, const std::vector<SqlValue>& parameters) = 0;

  // All that `body` runs takes place, or nothing of it. Of several programs at once each waits for its turn
  // where `alone`.
  virtual absl::Status Transact(const std::function<absl::Status()>& body, bool alone = false) = 0;

  // How many bytes are stored as: BLOB or BYTEA, in statements that make tables.
  virtual std::string BytesType() const = 0;
};

// postgresql://..., or sqlite:PATH, or a path of SQLite, or :memory:.
absl::StatusOr<std::unique_ptr<SqlConnection>> OpenSqlConnection(const std::string& url);

std::unique_ptr<SqlConnection> PostgresConnection(const std::string& url);
absl::StatusOr<std::unique_ptr<SqlConnection>> SqliteConnection(const std::string& path);

}  // namespace tally::server
