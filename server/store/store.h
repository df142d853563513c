// The store of a node: the receipts that it signed, what they name, and its public keys. Several servers may
// share one, and answer for each other's receipts.
//
//   ASSIGN_OR_RETURN(const auto store, Store::Open("node.db"));
//   RETURN_IF_ERROR(store->Add(runs));  // they are on the disk
//   ASSIGN_OR_RETURN(const std::string receipt, store->ReceiptOf(claim, nonce));
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "proof/audit/object_store.h"
#include "server/store/sql_connection.h"

namespace tally::server {

struct StoredObject {
  ObjectKind kind;
  Digest digest = {};
  std::vector<uint8_t> bytes;
};

// A run that was signed.
struct SignedRun {
  Digest receipt = {}, claim = {}, module = {}, inputs = {};  // ids, and the digest of the inputs
  std::optional<Digest> nonce, trace;
  int64_t issued_at = 0;
  std::string text;                   // the receipt's file
  std::vector<StoredObject> objects;  // its inputs
};

struct StoredKey {
  Digest key = {};
  std::string pem;
  int64_t since = 0;  // seconds since 1970, when a server first signed with it
};

// How long things are kept. Nothing: for ever.
struct Retention {
  std::optional<int64_t> inputs_seconds, receipts_seconds;  // after the last receipt that names them
  std::optional<int64_t> bytes;  // all together; the oldest objects go first, then receipts
};

struct StoreTotals {
  int64_t receipts = 0, objects = 0, bytes = 0;
};

// May be used by many threads at once. Error of all: server_store.
class Store {
 public:
  // Makes the tables where there are none (server/store/sql_connection.h says what a URL is).
  static absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& url);

  // All of them or none. On return they are durable.
  absl::Status Add(std::span<const SignedRun> runs);
  absl::Status AddObject(const StoredObject& object, int64_t now);
  absl::Status AddKey(const StoredKey& key);

  // The newest receipt of a claim, with this nonce where there is one. Error also: receipt_unknown.
  absl::StatusOr<std::string> ReceiptOf(const Digest& claim, const std::optional<Digest>& nonce);
  // That with this id. Error also: receipt_unknown.
  absl::StatusOr<std::string> ReceiptWithId(const Digest& receipt);
  // Errors: store_missing, store_failed, as GetObject has them.
  absl::StatusOr<std::vector<uint8_t>> Object(ObjectKind kind, const Digest& digest);
  absl::StatusOr<std::vector<StoredKey>> Keys();  // the oldest first

  // Deletes what is older, or too much.
  absl::Status Retain(const Retention& retention, int64_t now);
  absl::StatusOr<StoreTotals> Totals();

 private:
  Store(std::unique_ptr<SqlConnection> writer, std::unique_ptr<SqlConnection> reader)
      : writer_(std::move(writer)), reader_(std::move(reader)) {}

  absl::StatusOr<SqlRows> Read(const std::string& sql, const std::vector<SqlValue>& parameters);
  absl::Status Write(const std::string& sql, const std::vector<SqlValue>& parameters);
  absl::Status PutObject(const StoredObject& object, int64_t now);
  absl::Status RetainBytes(int64_t most);

  std::mutex writing_, reading_;
  std::unique_ptr<SqlConnection> writer_, reader_;
};

}  // namespace tally::server
