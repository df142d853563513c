// A server of HTTP 1.1, with or without TLS. A few threads hold all connections: one that is idle costs some
// kilobytes, and no thread.
//
//   ASSIGN_OR_RETURN(const auto server, HttpServer::Start({.port = 8000}, handle));
//   server->port();
//   server->Drain();
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/http/messages.h"

namespace tally::server {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any
  int threads = 1;
  int64_t most_connections = 20'000;                         // more are closed at once
  int64_t most_body_bytes = int64_t{64} << 20;               // each request's
  int64_t most_bytes = int64_t{1} << 30;                     // the bodies of all requests at once
  std::chrono::seconds idle = std::chrono::seconds(75);      // until the head of a request is there
  std::chrono::seconds transfer = std::chrono::seconds(30);  // for the rest of it, and for a response
  std::string certificate, private_key;                      // files in PEM; empty: no TLS
  std::function<void(int change)> on_connections;            // called when there are more or fewer
};

class HttpServer {
 public:
  // Errors: server_address; file_open where the files of TLS cannot be read.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const HttpOptions& options, HandleHttp handle);
  virtual ~HttpServer() = default;  // Drain

  virtual int port() const = 0;

  // Takes no more connections, ends those that are idle, and returns when all requests are answered, after
  // `most` at the latest.
  virtual void Drain(std::chrono::milliseconds most) = 0;
};

}  // namespace tally::server
