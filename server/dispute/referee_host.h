// The referee of disputes about the receipts of one asserter: a third program between it and its challengers.
//
//   RefereeHost host(asserter_within, log, {.key = key, .bounds = {{module_id, bounds}}, .seconds = 600});
//
// It knows the asserter's key and the bounds of the modules that it judges for, and keeps every message. Each
// party has one budget of time for the whole dispute, as in chess: one that has spent it has lost, whoever
// began anew meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "proof/dispute/dispute_referee.h"
#include "proof/receipt/receipt.h"
#include "server/dispute/dispute_log.h"
#include "server/dispute/dispute_service.h"

namespace tally::server {

struct RefereeTerms {
  PublicKey key;                    // the asserter's
  std::map<Digest, Digest> bounds;  // by the id of a module
  int64_t seconds = 600;            // for each party, in all
  int64_t window_seconds = 0;       // receipts that are older are not disputed; 0: all are
};

// One call at a time.
class RefereeHost final : public DisputeService {
 public:
  // The asserter, whose calls end within that time, if only by failing.
  using AsserterWithin = std::function<std::unique_ptr<DisputeService>(std::chrono::milliseconds)>;

  // The log outlives this. `observe` is called with each verdict.
  RefereeHost(AsserterWithin asserter, DisputeLog& log, RefereeTerms terms,
              std::function<void(const std::string& verdict)> observe)
      : asserter_(std::move(asserter)), log_(log), terms_(std::move(terms)), observe_(std::move(observe)) {}

  // Errors also: receipt_unknown (a module that is not judged for, or a receipt beyond the window),
  // receipt_signature; dispute_time, dispute_opening, dispute_answer where the asserter has lost by it.
  absl::StatusOr<std::vector<uint8_t>> Begin(const Digest& id, const std::string& receipt) override;
  absl::StatusOr<std::vector<uint8_t>> Ask(const Digest& id, int step,
                                           std::span<const uint8_t> query) override;
  absl::StatusOr<std::string> Convict(const Digest& id, std::span<const uint8_t> certificate) override;
  absl::StatusOr<std::string> Verdict(const Digest& id) override;

 private:
  absl::StatusOr<DisputedClaim> Disputed(const std::string& receipt) const;
  // The dispute as its messages have left it.
  absl::StatusOr<DisputeReferee> Replay(const LoggedDispute& dispute) const;
  // Ends a dispute whose challenger is late.
  absl::StatusOr<LoggedDispute> InTime(const Digest& id);
  absl::StatusOr<std::string> End(const Digest& id, const DisputeEnd& end);
  absl::Status AsserterLost(const Digest& id, const absl::Status& why);

  const AsserterWithin asserter_;
  DisputeLog& log_;
  const RefereeTerms terms_;
  const std::function<void(const std::string& verdict)> observe_;
};

}  // namespace tally::server
