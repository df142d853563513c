#include "server/referee.h"

#include <map>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "proof/receipt/claim_run.h"
#include "serializer/decode.h"
#include "server/dispute/dispute_routes.h"
#include "server/dispute/referee_host.h"
#include "server/dispute/remote_dispute.h"
#include "server/http/http_server.h"
#include "server/labels.h"
#include "server/log.h"
#include "server/signals.h"
#include "server/token_file.h"
#include "vm/validator.h"

namespace tally::server {
namespace {

constexpr uint64_t kMostKeyBytes = 1 << 16;
constexpr std::chrono::seconds kDrain(10);
constexpr int64_t kMostMessageBytes = int64_t{16} << 20;  // a certificate, which carries a program

// Serves the disputes of a service until a signal comes.
absl::Status ServeDisputes(DisputeService& service, const std::string& host, int port) {
  const sigset_t signals = BlockSignals();
  auto routes = std::make_unique<DisputeRoutes>(service);
  HttpOptions options;
  options.host = host;
  options.port = port;
  options.most_body_bytes = kMostMessageBytes;
  const auto handle = [&](HttpRequest request, const Respond& respond) {
    if (const absl::Status refused = routes->Handle(std::move(request), respond); !refused.ok())
      respond(ErrorResponse(refused));
  };
  ASSIGN_OR_RETURN(const auto server, HttpServer::Start(options, handle));
  LogEvent("listening", {{"host", host}, {"http", server->port()}});
  while (!EndsBySignal(signals, std::chrono::hours(1))) {
  }
  server->Drain(kDrain);
  routes.reset();  // calls that go on answer a server that is there
  return absl::OkStatus();
}

using BoundsByModule = std::map<Digest, Digest>;

absl::StatusOr<BoundsByModule> BoundsOfModules(const std::vector<std::string>& paths) {
  BoundsByModule bounds;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, ReadFile(path));
    ASSIGN_OR_RETURN(Module decoded, Decode(std::move(bytes)));
    ASSIGN_OR_RETURN(const ValidModule module, Validate(std::move(decoded)));
    const ClaimedModule claimed(module);
    bounds[claimed.id] = claimed.bounds;
  }
  return bounds;
}

// One run, whichever of its receipts is disputed.
class OneRun final : public AssertedRuns {
 public:
  explicit OneRun(std::shared_ptr<const AssertedRun> run) : run_(std::move(run)) {}

  absl::StatusOr<std::shared_ptr<const AssertedRun>> Of(const Receipt& receipt, const std::string&) override {
    if (receipt.claim == run_->run.claim) return run_;
    return MakeError(label::receipt_unknown, "the receipt is about another run");
  }

 private:
  const std::shared_ptr<const AssertedRun> run_;
};

}  // namespace

absl::Status RunReferee(const RefereeOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> pem, ReadFile(options.key, kMostKeyBytes));
  ASSIGN_OR_RETURN(PublicKey key, PublicKey::FromPem(AsText(pem)));
  ASSIGN_OR_RETURN(BoundsByModule bounds, BoundsOfModules(options.modules));
  ASSIGN_OR_RETURN(HttpTarget target, HttpTarget::Of(options.asserter));
  target.authority = options.authority;
  ASSIGN_OR_RETURN(const std::string token, ReadTokenFile(options.token));
  ASSIGN_OR_RETURN(const auto log, DisputeLog::Open(options.state));
  const auto asserter = [&](std::chrono::milliseconds most) {
    return std::make_unique<RemoteDispute>(target, token, most);
  };
  RefereeHost referee(asserter, *log,
                      {.key = std::move(key),
                       .bounds = std::move(bounds),
                       .seconds = options.seconds,
                       .window_seconds = options.window_hours * 3600},
                      [](const std::string& verdict) {
                        LogEvent("verdict", nlohmann::ordered_json::parse(verdict, nullptr, false));
                      });
  return ServeDisputes(referee, options.host, options.port);
}

absl::Status RunAsserter(const AsserterOptions& options, std::shared_ptr<const AssertedRun> run) {
  ASSIGN_OR_RETURN(const auto log, DisputeLog::Open(options.state));
  OneRun runs(std::move(run));
  AsserterHost asserter(runs, *log);
  return ServeDisputes(asserter, options.host, options.port);
}

}  // namespace tally::server
