#include "server/http/messages.h"

#include "base/error.h"
#include "base/strings.h"
#include "server/labels.h"
#include "server/protocol/json_response.h"

namespace tally::server {
namespace {

int StatusOf(const absl::Status& error) {
  if (HasLabel(error, label::request_size)) return 413;
  if (HasLabel(error, label::request_method)) return 405;
  if (HasLabel(error, label::queue_full)) return 503;
  if (HasLabel(error, label::access_rate)) return 429;
  switch (error.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted: return 400;  // a limit of the model
    case absl::StatusCode::kUnauthenticated: return 401;
    case absl::StatusCode::kPermissionDenied: return 403;
    case absl::StatusCode::kNotFound: return 404;
    case absl::StatusCode::kUnavailable: return 503;
    case absl::StatusCode::kDeadlineExceeded: return 504;
    default: return 500;
  }
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [of, value] : headers) {
    if (of == name) return value;
  }
  return {};
}

absl::Status UnknownPath() { return MakeError(label::request_path, "there is nothing at this path"); }

absl::Status CheckMethod(const HttpRequest& request, std::string_view method) {
  if (request.method == method) return absl::OkStatus();
  return MakeError(label::request_method, absl::StrCat("this path takes ", ToAbsl(method)));
}

HttpResponse ErrorResponse(const absl::Status& error) {
  HttpResponse response{.status = StatusOf(error), .body = ErrorJson(error), .headers = {}};
  if (response.status == 503 || response.status == 429) response.headers.emplace_back("Retry-After", "1");
  if (response.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace tally::server
