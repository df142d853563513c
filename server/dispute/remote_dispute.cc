#include "server/dispute/remote_dispute.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "server/labels.h"

namespace tally::server {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenTries(200);

// The refusal that another program has reported.
absl::Status RefusalOf(const HttpResponse& response) {
  const auto json = nlohmann::json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  const auto text = [&](const char* name) -> std::string {
    if (!json.is_object() || !json.contains(name) || !json[name].is_string()) return "";
    return PrintableStart(json[name].get<std::string>(), 400);
  };
  const std::string said = text("label");
  for (const Label label :
       {label::dispute_claim, label::dispute_turn, label::dispute_query, label::dispute_time,
        label::dispute_unknown, label::receipt_unknown, label::dispute_opening, label::dispute_answer,
        label::dispute_bounds, label::dispute_other}) {
    if (label.name() == said) return MakeError(label, text("error"));
  }
  return MakeError(label::dispute_answer, absl::StrCat("the other side reports HTTP ", response.status, " ",
                                                       said, " ", text("error")));
}

std::vector<uint8_t> BytesOf(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

absl::StatusOr<std::string> RemoteDispute::Call(const std::string& method, const std::string& path,
                                                std::string body) const {
  HttpRequest request{.method = method, .target = path, .headers = {}, .body = std::move(body), .client = {}};
  request.headers.emplace_back("Content-Type", "application/octet-stream");
  if (!token_.empty()) request.headers.emplace_back("Authorization", "Bearer " + token_);
  const Clock::time_point until = Clock::now() + patience_;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    const auto response = CallHttp(target_, request, std::max(left, kBetweenTries));
    if (response.ok() && response->status / 100 == 2) return response->body;
    // A server that is busy or begins anew answers later.
    if (response.ok() && response->status != 503 && response->status != 429) return RefusalOf(*response);
    if (Clock::now() + kBetweenTries >= until) {
      const std::string why = response.ok() ? absl::StrCat("it reports HTTP ", response->status)
                                            : std::string(response.status().message());
      return MakeError(label::dispute_time, absl::StrCat("the other side did not answer in time: ", why));
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
}

absl::StatusOr<std::vector<uint8_t>> RemoteDispute::Begin(const Digest& id, const std::string& receipt) {
  ASSIGN_OR_RETURN(const std::string body, Call("POST", "/v2/disputes?id=" + ToHex(id), receipt));
  return BytesOf(body);
}

absl::StatusOr<std::vector<uint8_t>> RemoteDispute::Ask(const Digest& id, int step,
                                                        std::span<const uint8_t> query) {
  ASSIGN_OR_RETURN(const std::string body, Call("POST", absl::StrCat("/v2/disputes/", ToHex(id), "/", step),
                                                std::string(AsText(query))));
  return BytesOf(body);
}

absl::StatusOr<std::string> RemoteDispute::Convict(const Digest& id, std::span<const uint8_t> certificate) {
  return Call("POST", absl::StrCat("/v2/disputes/", ToHex(id), "/certificate"),
              std::string(AsText(certificate)));
}

absl::StatusOr<std::string> RemoteDispute::Verdict(const Digest& id) {
  return Call("GET", "/v2/disputes/" + ToHex(id), "");
}

}  // namespace tally::server
