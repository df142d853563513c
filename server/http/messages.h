// Requests and responses of HTTP, apart from how they travel.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace tally::server {

struct HttpRequest {
  std::string method, target;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  std::string client;  // its address

  // Empty where there is none.
  std::string_view header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// Called once, in any thread.
using Respond = std::function<void(HttpResponse)>;
using HandleHttp = std::function<void(HttpRequest, Respond)>;

// Error request_path, for a path at which there is nothing.
absl::Status UnknownPath();
// Error request_method, where a request has another method than its path takes.
absl::Status CheckMethod(const HttpRequest& request, std::string_view method);

// {"error": ..., "label": ...}, with the status that fits the label.
HttpResponse ErrorResponse(const absl::Status& error);

}  // namespace tally::server
