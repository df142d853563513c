// Requests to servers of others.
//
//   ASSIGN_OR_RETURN(const HttpTarget target, HttpTarget::Of("https://node.example.com/tally"));
//   ASSIGN_OR_RETURN(const HttpResponse response, CallHttp(target, {.method = "GET", .target = "/v2"}, timeout));
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "server/http/messages.h"

namespace tally::server {

struct HttpTarget {
  // http://host[:port][/prefix] or https://. Error request_form.
  static absl::StatusOr<HttpTarget> Of(const std::string& url);

  bool tls = false;
  std::string host, port, prefix;  // the prefix has no slash at its end
  std::string authority;           // a file in PEM whose certificates are trusted; empty: the system's
};

// The most that a response may have.
inline constexpr uint64_t kMostResponseBytes = uint64_t{64} << 20;

// One request on a connection of its own. Error server_unreachable: no connection, no answer within the
// timeout, or none of HTTP.
absl::StatusOr<HttpResponse> CallHttp(const HttpTarget& target, const HttpRequest& request,
                                      std::chrono::milliseconds timeout);

}  // namespace tally::server
