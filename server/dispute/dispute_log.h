// The messages of disputes, in a database: a program that begins anew goes on where it was.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "server/store/sql_connection.h"

namespace tally::server {

struct LoggedDispute {
  std::string receipt;  // its text
  SqlBytes opening;
  std::vector<std::pair<SqlBytes, SqlBytes>> rounds = {};  // queries and answers
  int64_t deadline = 0;      // for the challenger's next move, in milliseconds since 1970
  int64_t left_ms = 0;       // for all that the asserter has still to answer
  std::string verdict = {};  // empty while it goes on
};

// The answer to a query that was answered already; empty for the query that is next. Error dispute_turn: the
// step is neither, or was another query.
absl::StatusOr<SqlBytes> AnswerAgain(const LoggedDispute& dispute, int step, std::span<const uint8_t> query);

// One thread at a time. Error of all: server_store.
class DisputeLog {
 public:
  static absl::StatusOr<std::unique_ptr<DisputeLog>> Open(const std::string& url);

  // Nothing where there is no dispute of this id.
  absl::StatusOr<std::optional<LoggedDispute>> Find(const Digest& id);
  // The dispute with this id; error dispute_unknown.
  absl::StatusOr<LoggedDispute> Get(const Digest& id);

  // These change nothing that is there already.
  absl::Status Begin(const Digest& id, const LoggedDispute& dispute);
  absl::Status AddRound(const Digest& id, int step, const SqlBytes& query, const SqlBytes& answer,
                        int64_t deadline, int64_t left_ms);
  absl::Status End(const Digest& id, const std::string& verdict);

 private:
  explicit DisputeLog(std::unique_ptr<SqlConnection> database) : database_(std::move(database)) {}

  std::unique_ptr<SqlConnection> database_;
};

}  // namespace tally::server
