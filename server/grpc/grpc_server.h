// The service of open_inference.proto, over a node.
//
//   ASSIGN_OR_RETURN(const auto server, GrpcServer::Start({.port = 8001}, node, repository));
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/access/access.h"
#include "server/models/repository.h"
#include "server/node/node.h"

namespace tally::server {

struct GrpcOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any
  int64_t most_message_bytes = int64_t{64} << 20;
  int64_t most_bytes = int64_t{1} << 30;  // all messages at once
  std::string certificate, private_key;   // files in PEM; empty: no TLS
};

class GrpcServer {
 public:
  // Node, repository and access outlive this. Errors: server_address; those of ReadFile.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcOptions& options, Node& node,
                                                           Repository& repository, Access& access);
  virtual ~GrpcServer() = default;  // Drain

  virtual int port() const = 0;

  // Takes no more calls, and returns when all are answered, after `most` at the latest.
  virtual void Drain(std::chrono::milliseconds most) = 0;
};

}  // namespace tally::server
