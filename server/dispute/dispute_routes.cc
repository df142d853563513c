#include "server/dispute/dispute_routes.h"

#include <openssl/rand.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"

namespace tally::server {
namespace {

constexpr std::string_view kRoot = "/v2/disputes";
constexpr int kMostWaiting = 64;

using Call = std::function<absl::StatusOr<HttpResponse>(DisputeService&)>;

HttpResponse BytesResponse(const std::vector<uint8_t>& bytes) {
  return {.content_type = "application/cbor", .body = std::string(bytes.begin(), bytes.end()), .headers = {}};
}

HttpResponse VerdictResponse(const std::string& verdict) {
  return {.body = verdict.empty() ? "{}" : verdict, .headers = {}};
}

std::span<const uint8_t> BytesOf(const std::string& body) {
  return {reinterpret_cast<const uint8_t*>(body.data()), body.size()};
}

// The call of a request that begins a dispute.
absl::StatusOr<Call> BeginCall(std::string_view query, std::string receipt) {
  constexpr std::string_view kId = "?id=";
  Digest id = {};
  if (query.empty()) {
    if (RAND_bytes(id.data(), static_cast<int>(id.size())) != 1)
      return MakeError(label::server_ends, "the system has no random numbers");
  } else {
    const std::optional<Digest> given =
        query.starts_with(kId) ? ParseDigest(query.substr(kId.size())) : std::nullopt;
    if (!given) return MakeError(label::request_form, "the id of a dispute is 64 hexadecimal digits");
    id = *given;
  }
  return [id, receipt = std::move(receipt)](DisputeService& service) -> absl::StatusOr<HttpResponse> {
    ASSIGN_OR_RETURN(const std::vector<uint8_t> opening, service.Begin(id, receipt));
    HttpResponse response = BytesResponse(opening);
    response.status = 201;
    response.headers.emplace_back("Location", absl::StrCat(ToAbsl(kRoot), "/", ToHex(id)));
    return response;
  };
}

absl::StatusOr<Call> CallOf(HttpRequest request) {
  std::string_view path = request.target;
  const size_t query = std::min(path.find('?'), path.size());
  const std::string_view after = path.substr(query);
  path = path.substr(0, query);
  if (!path.starts_with(kRoot)) return UnknownPath();
  path.remove_prefix(kRoot.size());
  if (path.empty()) {
    RETURN_IF_ERROR(CheckMethod(request, "POST"));
    return BeginCall(after, std::move(request.body));
  }
  const size_t slash = std::min(path.find('/', 1), path.size());
  const std::optional<Digest> id = ParseDigest(path.substr(1, slash - 1));
  const std::string_view last = path.substr(std::min(slash + 1, path.size()));
  if (!path.starts_with('/') || !id || !after.empty() || last.find('/') != std::string_view::npos)
    return UnknownPath();
  if (last.empty()) {
    RETURN_IF_ERROR(CheckMethod(request, "GET"));
    return Call([id = *id](DisputeService& service) -> absl::StatusOr<HttpResponse> {
      ASSIGN_OR_RETURN(const std::string verdict, service.Verdict(id));
      return VerdictResponse(verdict);
    });
  }
  RETURN_IF_ERROR(CheckMethod(request, "POST"));
  if (last == "certificate") {
    return Call(
        [id = *id, body = std::move(request.body)](DisputeService& service) -> absl::StatusOr<HttpResponse> {
          ASSIGN_OR_RETURN(const std::string verdict, service.Convict(id, BytesOf(body)));
          return VerdictResponse(verdict);
        });
  }
  int step = 0;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), step);
  if (error != std::errc() || end != last.data() + last.size()) return UnknownPath();
  return Call([id = *id, step,
               body = std::move(request.body)](DisputeService& service) -> absl::StatusOr<HttpResponse> {
    ASSIGN_OR_RETURN(const std::vector<uint8_t> answer, service.Ask(id, step, BytesOf(body)));
    return BytesResponse(answer);
  });
}

}  // namespace

struct DisputeRoutes::Thread {
  boost::asio::thread_pool pool{1};
  std::atomic<int> waiting = 0;
};

DisputeRoutes::DisputeRoutes(DisputeService& service)
    : service_(service), thread_(std::make_unique<Thread>()) {}

DisputeRoutes::~DisputeRoutes() { thread_->pool.join(); }

absl::Status DisputeRoutes::Handle(HttpRequest request, Respond respond) {
  // The target outlives its views in CallOf.
  ASSIGN_OR_RETURN(Call call, CallOf(std::move(request)));
  if (thread_->waiting >= kMostWaiting)
    return MakeError(label::queue_full, "too many calls of disputes wait");
  ++thread_->waiting;
  boost::asio::post(thread_->pool, [this, call = std::move(call), respond = std::move(respond)] {
    --thread_->waiting;
    absl::StatusOr<HttpResponse> response = call(service_);
    respond(response.ok() ? *std::move(response) : ErrorResponse(response.status()));
  });
  return absl::OkStatus();
}

}  // namespace tally::server
