// A server: a node over a folder of models, with its REST and gRPC interfaces, until a signal ends it.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace tally::server {

struct ServeOptions {
  std::string models;                   // a folder
  std::string store = "tally-node.db";  // a URL (server/store/sql_connection.h)
  std::string key;                      // a file or a URI (server/keys/signer.h); empty: no receipts
  std::string host = "127.0.0.1";
  int http_port = 8000, grpc_port = 8001;  // 0: any that is free
  int workers = 0;                         // runs at once; 0: the processors
  int64_t cache_mebibytes = 64;            // results that are kept
  int64_t scan_seconds = 2;                // the folder is looked at so often
  int64_t drain_seconds = 30;              // for requests that are there when the server ends
  int64_t most_request_mebibytes = 64;
  std::string tokens;                    // a file (server/access/access.h); empty: no token is needed
  int64_t rate = 0;                      // requests of each client in a second; 0: any number
  std::string certificate, private_key;  // files in PEM, for TLS
  int64_t keep_inputs_hours = 0, keep_receipts_hours = 0, keep_mebibytes = 0;  // 0: for ever
};

// Returns after SIGTERM or SIGINT, when requests are answered. SIGHUP has it look at the folder and at the
// tokens at once. Errors: those of Store::Open, OpenSigner, Access::Open, HttpServer::Start and
// GrpcServer::Start; file_open (the folder).
absl::Status Serve(const ServeOptions& options);

}  // namespace tally::server
