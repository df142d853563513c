#include "server/serve.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/status_macros.h"
#include "proof/receipt/receipt_core.h"
#include "server/access/access.h"
#include "server/dispute/asserter_host.h"
#include "server/dispute/dispute_log.h"
#include "server/dispute/dispute_routes.h"
#include "server/dispute/stored_runs.h"
#include "server/grpc/grpc_server.h"
#include "server/http/http_server.h"
#include "server/http/routes.h"
#include "server/keys/signer.h"
#include "server/log.h"
#include "server/models/repository.h"
#include "server/node/node.h"
#include "server/signals.h"
#include "server/store/store.h"

namespace tally::server {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::minutes kBetweenRetentions(1);

// Each connection is a file that is open.
void AllowManyFiles() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::optional<int64_t> Hours(int64_t hours) {
  return hours == 0 ? std::nullopt : std::optional(hours * 3600);
}

// The modules of models that were loaded, until they are in the store: an audit or a dispute may need one
// when its model is gone.
class ModulesToKeep {
 public:
  explicit ModulesToKeep(Store* store) : store_(store) {}

  void Add(std::shared_ptr<const ServedModel> model) {
    if (store_ != nullptr) models_.insert(std::move(model));
  }
  void Keep() {
    std::erase_if(models_, [&](const std::shared_ptr<const ServedModel>& model) {
      const StoredObject module{ObjectKind::kModule, model->claimed().id, model->bytes()};
      const absl::Status kept = store_->AddObject(module, static_cast<int64_t>(SecondsSince1970()));
      if (!kept.ok()) LogEvent("store", {{"error", std::string(kept.message())}});
      return kept.ok();
    });
  }

 private:
  Store* const store_;
  std::set<std::shared_ptr<const ServedModel>> models_;
};

void LogModel(const ModelEvent& event) {
  nlohmann::ordered_json members = {{"model", event.name}, {"version", event.version}};
  if (!event.problem.ok()) {
    members["state"] = "refused";
    members["label"] = ErrorLabel(event.problem);
    members["error"] = std::string(event.problem.message());
  } else if (event.loaded) {
    members["state"] = "loaded";
    members["module"] = ToHex(event.model->claimed().id);
  } else {
    members["state"] = "unloaded";
  }
  LogEvent("model", members);
}

HttpOptions HttpOptionsOf(const ServeOptions& options, Metrics& metrics) {
  HttpOptions http;
  http.host = options.host;
  http.port = options.http_port;
  http.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 4u));
  http.most_body_bytes = options.most_request_mebibytes << 20;
  http.certificate = options.certificate;
  http.private_key = options.private_key;
  http.on_connections = [&metrics](int change) { metrics.AddConnections(change); };
  return http;
}

GrpcOptions GrpcOptionsOf(const ServeOptions& options) {
  return {.host = options.host,
          .port = options.grpc_port,
          .most_message_bytes = options.most_request_mebibytes << 20,
          .certificate = options.certificate,
          .private_key = options.private_key};
}

// Does what is due from time to time, until a signal ends the server.
void WaitForEnd(const ServeOptions& options, const sigset_t& signals, Repository& repository, Access& access,
                ModulesToKeep& modules, Store* store) {
  const Retention retention = {
      .inputs_seconds = Hours(options.keep_inputs_hours),
      .receipts_seconds = Hours(options.keep_receipts_hours),
      .bytes = options.keep_mebibytes == 0 ? std::nullopt : std::optional(options.keep_mebibytes << 20)};
  Clock::time_point retained = Clock::now();
  while (!EndsBySignal(signals, std::chrono::seconds(options.scan_seconds))) {
    if (const absl::Status scanned = repository.Scan(); !scanned.ok())
      LogEvent("models", {{"error", std::string(scanned.message())}});
    if (const absl::Status read = access.Reload(); !read.ok())
      LogEvent("tokens", {{"error", std::string(read.message())}});
    modules.Keep();
    if (store == nullptr || Clock::now() - retained < kBetweenRetentions) continue;
    retained = Clock::now();
    const absl::Status kept = store->Retain(retention, static_cast<int64_t>(SecondsSince1970()));
    if (!kept.ok()) LogEvent("store", {{"error", std::string(kept.message())}});
  }
}

}  // namespace

absl::Status Serve(const ServeOptions& options) {
  AllowManyFiles();
  const sigset_t signals = BlockSignals();
  std::unique_ptr<Store> store;
  std::unique_ptr<const Signer> signer;
  std::unique_ptr<DisputeLog> dispute_log;
  if (!options.key.empty()) {
    ASSIGN_OR_RETURN(signer, OpenSigner(options.key));
    ASSIGN_OR_RETURN(store, Store::Open(options.store));
    ASSIGN_OR_RETURN(dispute_log, DisputeLog::Open(options.store));
    const PublicKey& key = signer->public_key();
    RETURN_IF_ERROR(store->AddKey({key.id(), key.ToPem(), static_cast<int64_t>(SecondsSince1970())}));
  }
  ASSIGN_OR_RETURN(const auto access, Access::Open(options.tokens, static_cast<double>(options.rate)));
  Metrics metrics;
  ModulesToKeep modules(store.get());
  Repository repository(options.models, [&](const ModelEvent& event) {
    LogModel(event);
    if (event.loaded || !event.problem.ok()) metrics.CountLoad(event.loaded);
    if (event.loaded) modules.Add(event.model);
  });
  RETURN_IF_ERROR(repository.Scan());
  modules.Keep();
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  Node node(repository, metrics,
            {.workers = options.workers > 0 ? options.workers : static_cast<int>(processors),
             .cache_bytes = options.cache_mebibytes << 20},
            signer.get(), store.get());
  std::optional<StoredRuns> runs;
  std::optional<AsserterHost> asserter;
  std::optional<DisputeRoutes> disputes;
  if (store != nullptr) {
    runs.emplace(*store, repository);
    asserter.emplace(*runs, *dispute_log);
    disputes.emplace(*asserter);
  }
  Routes routes(node, repository, metrics, *access, store.get(), disputes ? &*disputes : nullptr);
  ASSIGN_OR_RETURN(const auto http, HttpServer::Start(HttpOptionsOf(options, metrics),
                                                      [&](HttpRequest request, Respond respond) {
                                                        routes.Handle(std::move(request), std::move(respond));
                                                      }));
  ASSIGN_OR_RETURN(const auto grpc, GrpcServer::Start(GrpcOptionsOf(options), node, repository, *access));
  LogEvent("listening", {{"host", options.host}, {"http", http->port()}, {"grpc", grpc->port()}});
  WaitForEnd(options, signals, repository, *access, modules, store.get());
  LogEvent("draining", nlohmann::ordered_json::object());
  const std::chrono::seconds most(options.drain_seconds);
  http->Drain(most);
  grpc->Drain(most);
  // Whoever is still answering answers a server that is there.
  node.Drain();
  disputes.reset();
  LogEvent("ended", nlohmann::ordered_json::object());
  return absl::OkStatus();
}

}  // namespace tally::server
