#include "server/dispute/dispute_log.h"

#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "server/labels.h"

namespace tally::server {
namespace {

SqlValue KeyOf(const Digest& id) { return SqlBytes(id.begin(), id.end()); }

}  // namespace

absl::StatusOr<SqlBytes> AnswerAgain(const LoggedDispute& dispute, int step, std::span<const uint8_t> query) {
  const int steps = static_cast<int>(dispute.rounds.size());
  if (step == steps + 1) return SqlBytes();
  if (step < 1 || step > steps)
    return MakeError(label::dispute_turn, absl::StrCat("query ", steps + 1, " is the next"));
  const auto& [asked, answer] = dispute.rounds[static_cast<size_t>(step) - 1];
  if (std::ranges::equal(asked, query)) return answer;
  return MakeError(label::dispute_turn, absl::StrCat("query ", step, " was another"));
}

absl::StatusOr<std::unique_ptr<DisputeLog>> DisputeLog::Open(const std::string& url) {
  ASSIGN_OR_RETURN(std::unique_ptr<SqlConnection> database, OpenSqlConnection(url));
  const std::string bytes = database->BytesType();
  RETURN_IF_ERROR(database->Transact(
      [&]() -> absl::Status {
        RETURN_IF_ERROR(database
                            ->Run(absl::StrCat("CREATE TABLE IF NOT EXISTS disputes (dispute ", bytes,
                                               " PRIMARY KEY, receipt TEXT NOT NULL, opening ", bytes,
                                               " NOT NULL, deadline BIGINT NOT NULL, left_ms BIGINT NOT "
                                               "NULL, verdict TEXT NOT NULL)"),
                                  {})
                            .status());
        return database
            ->Run(absl::StrCat("CREATE TABLE IF NOT EXISTS dispute_rounds (dispute ", bytes,
                               " NOT NULL, step BIGINT NOT NULL, query ", bytes, " NOT NULL, answer ", bytes,
                               " NOT NULL, PRIMARY KEY (dispute, step))"),
                  {})
            .status();
      },
      /*alone=*/true));
  return std::unique_ptr<DisputeLog>(new DisputeLog(std::move(database)));
}

absl::StatusOr<std::optional<LoggedDispute>> DisputeLog::Find(const Digest& id) {
  ASSIGN_OR_RETURN(
      const SqlRows found,
      database_->Run("SELECT receipt, opening, deadline, left_ms, verdict FROM disputes WHERE dispute = $1",
                     {KeyOf(id)}));
  if (found.empty()) return std::optional<LoggedDispute>();
  const std::vector<SqlValue>& row = found[0];
  LoggedDispute dispute{.receipt = std::get<std::string>(row[0]),
                        .opening = std::get<SqlBytes>(row[1]),
                        .deadline = std::get<int64_t>(row[2]),
                        .left_ms = std::get<int64_t>(row[3]),
                        .verdict = std::get<std::string>(row[4])};
  ASSIGN_OR_RETURN(const SqlRows rounds,
                   database_->Run("SELECT query, answer FROM dispute_rounds WHERE dispute = $1 ORDER BY step",
                                  {KeyOf(id)}));
  for (const std::vector<SqlValue>& round : rounds)
    dispute.rounds.emplace_back(std::get<SqlBytes>(round[0]), std::get<SqlBytes>(round[1]));
  return std::optional(std::move(dispute));
}

absl::StatusOr<LoggedDispute> DisputeLog::Get(const Digest& id) {
  ASSIGN_OR_RETURN(std::optional<LoggedDispute> found, Find(id));
  if (!found) return MakeError(label::dispute_unknown, absl::StrCat("there is no dispute ", ToHex(id)));
  return *std::move(found);
}

absl::Status DisputeLog::Begin(const Digest& id, const LoggedDispute& dispute) {
  return database_
      ->Run(
          "INSERT INTO disputes (dispute, receipt, opening, deadline, left_ms, verdict) VALUES ($1, $2, $3, "
          "$4, $5, $6) "
          "ON CONFLICT DO NOTHING",
          {KeyOf(id), dispute.receipt, dispute.opening, dispute.deadline, dispute.left_ms, dispute.verdict})
      .status();
}

absl::Status DisputeLog::AddRound(const Digest& id, int step, const SqlBytes& query, const SqlBytes& answer,
                                  int64_t deadline, int64_t left_ms) {
  return database_->Transact([&]() -> absl::Status {
    RETURN_IF_ERROR(
        database_
            ->Run("INSERT INTO dispute_rounds (dispute, step, query, answer) VALUES ($1, $2, $3, $4) "
                  "ON CONFLICT DO NOTHING",
                  {KeyOf(id), int64_t{step}, query, answer})
            .status());
    return database_
        ->Run("UPDATE disputes SET deadline = $1, left_ms = $2 WHERE dispute = $3",
              {deadline, left_ms, KeyOf(id)})
        .status();
  });
}

absl::Status DisputeLog::End(const Digest& id, const std::string& verdict) {
  return database_
      ->Run("UPDATE disputes SET verdict = $1 WHERE dispute = $2 AND verdict = ''", {verdict, KeyOf(id)})
      .status();
}

}  // namespace tally::server
