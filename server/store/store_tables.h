// The tables of a store, and how those of an earlier release become today's.
#pragma once

#include "absl/status/status.h"
#include "server/store/sql_connection.h"

namespace tally::server {

// Makes the tables, or changes them step by step. Error server_store: also where a later release has changed
// them.
absl::Status MigrateTables(SqlConnection& database);

}  // namespace tally::server
