#include "server/store/sql_connection.h"

namespace tally::server {

absl::StatusOr<std::unique_ptr<SqlConnection>> OpenSqlConnection(const std::string& url) {
  if (url.starts_with("postgresql://") || url.starts_with("postgres://")) return PostgresConnection(url);
  constexpr std::string_view kSqlite = "sqlite:";
  return SqliteConnection(url.starts_with(kSqlite) ? url.substr(kSqlite.size()) : url);
}

}  // namespace tally::server
