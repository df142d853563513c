#include <deque>
#include <exception>
#include <optional>
#include <pqxx/pqxx>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"
#include "server/store/sql_connection.h"

namespace tally::server {
namespace {

// Types of PostgreSQL's catalogue.
constexpr pqxx::oid kByteaType = 17, kInt8Type = 20, kInt4Type = 23, kNumericType = 1700;

// One number that all programs which change the tables agree on.
constexpr char kLock[] = "SELECT pg_advisory_xact_lock(8389187293518193785)";

SqlValue ValueOf(const pqxx::field& field) {
  if (field.is_null()) return std::monostate();
  switch (field.type()) {
    case kByteaType: {
      const pqxx::binarystring bytes(field);
      return SqlBytes(bytes.data(), bytes.data() + bytes.size());
    }
    case kInt8Type:
    case kInt4Type:
    case kNumericType: return field.as<int64_t>();  // numeric: a sum of integers
    default: return field.as<std::string>();
  }
}

// As PostgreSQL reads a parameter in text.
std::string TextOf(const SqlValue& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return absl::StrCat(*integer);
  if (const auto* bytes = std::get_if<SqlBytes>(&value)) return absl::StrCat("\\x", ToHex(*bytes));
  return std::get<std::string>(value);
}

class InPostgres final : public SqlConnection {
 public:
  explicit InPostgres(std::string url) : url_(std::move(url)) {}

  absl::StatusOr<SqlRows> Run(const std::string& sql, const std::vector<SqlValue>& parameters) override {
    if (work_) return RunIn(*work_, sql, parameters);
    SqlRows rows;
    RETURN_IF_ERROR(Transact([&]() -> absl::Status {
      ASSIGN_OR_RETURN(rows, RunIn(*work_, sql, parameters));
      return absl::OkStatus();
    }));
    return rows;
  }

  absl::Status Transact(const std::function<absl::Status()>& body, bool alone = false) override {
    absl::Status done;
    try {
      Connect();
      work_.emplace(*connection_);
      if (alone) work_->exec(kLock);
      done = body();
      if (done.ok()) work_->commit();
    } catch (const std::exception& error) {
      done = MakeError(label::server_store, Printable(error.what()));
    }
    work_.reset();  // takes back what was not committed
    if (!done.ok()) connection_.reset();
    return done;
  }

  std::string BytesType() const override { return "BYTEA"; }

 private:
  void Connect() {
    if (connection_ && connection_->is_open()) return;
    prepared_.clear();
    connection_.reset();
    connection_ = std::make_unique<pqxx::connection>(url_);
  }

  absl::StatusOr<SqlRows> RunIn(pqxx::work& work, const std::string& sql,
                                const std::vector<SqlValue>& parameters) {
    try {
      if (prepared_.insert(sql).second) connection_->prepare(sql, sql);
      std::deque<std::string> texts;
      std::vector<const char*> given;  // null is NULL
      for (const SqlValue& value : parameters) {
        const bool is_null = std::holds_alternative<std::monostate>(value);
        given.push_back(is_null ? nullptr : texts.emplace_back(TextOf(value)).c_str());
      }
      SqlRows rows;
      for (const pqxx::row& from : work.exec_prepared(sql, pqxx::prepare::make_dynamic_params(given))) {
        std::vector<SqlValue>& row = rows.emplace_back();
        for (const pqxx::field& field : from) row.push_back(ValueOf(field));
      }
      return rows;
    } catch (const std::exception& error) {
      return MakeError(label::server_store, Printable(error.what()));
    }
  }

  const std::string url_;
  std::unique_ptr<pqxx::connection> connection_;
  std::set<std::string> prepared_;
  std::optional<pqxx::work> work_;  // within Transact
};

}  // namespace

std::unique_ptr<SqlConnection> PostgresConnection(const std::string& url) {
  return std::make_unique<InPostgres>(url);
}

}  // namespace tally::server
