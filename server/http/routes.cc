#include "server/http/routes.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/release.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"
#include "server/protocol/json_request.h"
#include "server/protocol/json_response.h"

namespace tally::server {
namespace {

using Json = nlohmann::ordered_json;

HttpResponse OkJson(const Json& json) {
  return {.body = json.dump(-1, ' ', false, Json::error_handler_t::replace), .headers = {}};
}

std::vector<std::string_view> SegmentsOf(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const size_t end = std::min(path.find('/'), path.size());
    segments.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

// The scope that a path needs. Probes and public keys are for everybody.
Scope ScopeOf(const std::vector<std::string_view>& path) {
  if (path.size() < 2) return !path.empty() && path[0] == "metrics" ? Scope::kAudit : Scope::kOpen;
  if (path[1] == "repository") return Scope::kAdmin;
  if (path[1] == "receipts" || path[1] == "disputes") return Scope::kAudit;
  return path[1] == "models" ? Scope::kInfer : Scope::kOpen;
}

Json TensorsJson(const std::vector<TensorInfo>& infos) {
  Json tensors = Json::array();
  for (const TensorInfo& info : infos)
    tensors.push_back({{"name", info.name}, {"datatype", NameOf(info.datatype)}, {"shape", info.shape}});
  return tensors;
}

// models/NAME[/versions/VERSION][/LAST]
struct ModelPath {
  std::string name, version, last;
};
absl::StatusOr<ModelPath> ModelPathOf(const std::vector<std::string_view>& path) {
  if (path.size() < 2) return UnknownPath();
  ModelPath found{.name = std::string(path[1]), .version = {}, .last = {}};
  size_t at = 2;
  if (path.size() > 3 && path[2] == "versions") {
    found.version = path[3];
    at = 4;
  }
  if (path.size() > at) found.last = path[at++];
  if (path.size() > at) return UnknownPath();
  return found;
}

}  // namespace

void Routes::Handle(HttpRequest request, Respond respond) {
  if (const std::string traceparent(request.header("traceparent")); !traceparent.empty()) {
    respond = [respond = std::move(respond), traceparent](HttpResponse response) {
      response.headers.emplace_back("traceparent", traceparent);
      respond(std::move(response));
    };
  }
  const std::string target = request.target;  // which the segments are of
  const size_t query = std::min(target.find('?'), target.size());
  Segments path = SegmentsOf(std::string_view(target).substr(0, query));
  if (const absl::Status allowed =
          access_.Check(request.header("authorization"), request.client, ScopeOf(path));
      !allowed.ok())
    return Refuse(allowed, respond);
  if (request.method == "POST" && path.size() > 3 && path[0] == "v2" && path[1] == "models" &&
      path.back() == "infer") {
    path.erase(path.begin());
    return Infer(std::move(request), path, std::move(respond));
  }
  if (path.size() > 1 && path[0] == "v2" && path[1] == "disputes") {
    if (request.method == "POST") metrics_.CountDispute(path.size() == 2 ? "opened" : "asked");
    return Dispute(std::move(request), std::move(respond));
  }
  auto response = Answer(request, path, std::string_view(target).substr(query));
  response.ok() ? respond(*std::move(response)) : Refuse(response.status(), respond);
}

void Routes::Refuse(const absl::Status& why, const Respond& respond) {
  metrics_.CountRefusal(ErrorLabel(why));
  respond(ErrorResponse(why));
}

void Routes::Dispute(HttpRequest request, Respond respond) {
  if (disputes_ == nullptr)
    return Refuse(MakeError(label::receipts_off, "the server signs no receipts"), respond);
  if (const absl::Status refused = disputes_->Handle(std::move(request), respond); !refused.ok())
    Refuse(refused, respond);
}

absl::StatusOr<HttpResponse> Routes::Answer(const HttpRequest& request, const Segments& path,
                                            std::string_view query) {
  if (path.empty() || (path[0] != "v2" && request.target != "/metrics")) return UnknownPath();
  if (path[0] == "metrics") {
    RETURN_IF_ERROR(CheckMethod(request, "GET"));
    return HttpResponse{.content_type = "text/plain; version=0.0.4", .body = metrics_.Text(), .headers = {}};
  }
  const Segments rest(path.begin() + 1, path.end());
  if (!rest.empty() && rest[0] == "repository") return AnswerOfRepository(request, rest);
  if (!rest.empty() && rest[0] == "models") return AnswerOfModel(request, rest);
  RETURN_IF_ERROR(CheckMethod(request, "GET"));
  if (rest.empty() || (rest.size() == 1 && rest[0].empty())) {
    return OkJson({{"name", "tally"},
                   {"version", kVersion},
                   {"extensions", {"binary_tensor_data", "model_repository", "receipt"}}});
  }
  if (rest.size() == 2 && rest[0] == "health") {
    if (rest[1] == "live") return OkJson({{"live", true}});
    if (rest[1] != "ready") return UnknownPath();
    HttpResponse response = OkJson({{"ready", repository_.ready()}});
    if (!repository_.ready()) response.status = 503;
    return response;
  }
  if (rest.size() == 2 && rest[0] == "receipts") return ReceiptOf(rest[1], query);
  if (rest.size() == 1 && rest[0] == "keys") return Keys();
  return UnknownPath();
}

absl::StatusOr<HttpResponse> Routes::AnswerOfModel(const HttpRequest& request, const Segments& path) {
  ASSIGN_OR_RETURN(const ModelPath at, ModelPathOf(path));
  if (at.last == "infer") return CheckMethod(request, "POST");
  RETURN_IF_ERROR(CheckMethod(request, "GET"));
  if (at.last == "ready") {
    const auto model = repository_.Find(at.name, at.version);
    if (HasLabel(model.status(), label::model_unknown)) return model.status();
    HttpResponse response = OkJson({{"name", at.name}, {"ready", model.ok()}});
    if (!model.ok()) response.status = 503;
    return response;
  }
  if (!at.last.empty()) return UnknownPath();
  ASSIGN_OR_RETURN(const auto model, repository_.Find(at.name, at.version));
  return OkJson({{"name", model->name()},
                 {"versions", repository_.VersionsOf(at.name)},
                 {"platform", "tally"},
                 {"inputs", TensorsJson(model->inputs())},
                 {"outputs", TensorsJson(model->outputs())},
                 {"parameters",
                  {{"version", model->version()},
                   {"module", ToHex(model->claimed().id)},
                   {"bounds", ToHex(model->claimed().bounds)},
                   {"gas", model->module().gas()}}}});
}

absl::StatusOr<HttpResponse> Routes::AnswerOfRepository(const HttpRequest& request, const Segments& path) {
  RETURN_IF_ERROR(CheckMethod(request, "POST"));
  if (path.size() == 2 && path[1] == "index") {
    Json index = Json::array();
    for (const ModelState& state : repository_.States()) {
      index.push_back({{"name", state.name},
                       {"version", state.version},
                       {"state", state.ready ? "READY" : "UNAVAILABLE"},
                       {"reason", state.reason}});
    }
    return OkJson(index);
  }
  if (path.size() != 4 || path[1] != "models" || (path[3] != "load" && path[3] != "unload"))
    return UnknownPath();
  const std::string name(path[2]);
  RETURN_IF_ERROR(path[3] == "load" ? repository_.Load(name) : repository_.Unload(name));
  return OkJson(Json::object());
}

absl::StatusOr<HttpResponse> Routes::ReceiptOf(std::string_view claim, std::string_view query) {
  constexpr std::string_view kNonce = "?nonce=";
  if (store_ == nullptr) return MakeError(label::receipts_off, "the server signs no receipts");
  const std::optional<Digest> id = ParseDigest(claim);
  std::optional<Digest> nonce;
  if (query.starts_with(kNonce)) nonce = ParseDigest(query.substr(kNonce.size()));
  if (!id || (!query.empty() && !nonce))
    return MakeError(label::request_form, "a claim and a nonce are 64 hexadecimal digits each");
  ASSIGN_OR_RETURN(std::string text, store_->ReceiptOf(*id, nonce));
  return HttpResponse{.body = std::move(text), .headers = {}};
}

absl::StatusOr<HttpResponse> Routes::Keys() {
  if (store_ == nullptr) return MakeError(label::receipts_off, "the server signs no receipts");
  ASSIGN_OR_RETURN(const std::vector<StoredKey> stored, store_->Keys());
  Json keys = Json::array();
  for (const StoredKey& key : stored)
    keys.push_back({{"id", ToHex(key.key)}, {"public_key", key.pem}, {"since", key.since}});
  return OkJson({{"keys", keys}});
}

void Routes::Infer(HttpRequest request, const Segments& path, Respond respond) {
  const auto at = ModelPathOf(path);
  if (!at.ok()) return Refuse(at.status(), respond);
  std::optional<size_t> header_length;
  if (const std::string_view text = request.header("inference-header-content-length"); !text.empty()) {
    size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (error != std::errc() || end != text.data() + text.size())
      return Refuse(MakeError(label::request_form, "Inference-Header-Content-Length is not a number"),
                    respond);
    header_length = length;
  }
  auto parsed = InferRequestOfJson(std::move(request.body), header_length);
  if (!parsed.ok()) return Refuse(parsed.status(), respond);
  parsed->model = at->name;
  parsed->version = at->version;
  node_.Infer(*std::move(parsed), [respond = std::move(respond)](absl::StatusOr<InferResponse> response) {
    if (!response.ok()) return respond(ErrorResponse(response.status()));
    InferBody body = ToJson(*response);
    HttpResponse answer{.body = std::move(body.bytes), .headers = {}};
    if (body.header_length) {
      answer.content_type = "application/octet-stream";
      answer.headers.emplace_back("Inference-Header-Content-Length", absl::StrCat(*body.header_length));
    }
    respond(std::move(answer));
  });
}

}  // namespace tally::server
