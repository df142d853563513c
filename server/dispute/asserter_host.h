// The asserter of disputes that others begin: it answers for each receipt whose run it can run again.
//
//   AsserterHost host(runs, log);
//   ASSIGN_OR_RETURN(const auto opening, host.Begin(id, receipt));
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "proof/certificate/recorded_run.h"
#include "proof/dispute/asserter.h"
#include "proof/dispute/dispute_referee.h"
#include "proof/receipt/receipt.h"
#include "server/dispute/dispute_log.h"
#include "server/dispute/dispute_service.h"
#include "vm/valid_module.h"

namespace tally::server {

// A run that somebody answers for, with all that it refers to.
struct AssertedRun {
  std::shared_ptr<const ValidModule> module;
  std::unique_ptr<const ClaimedModule> claimed;
  RecordedRun run;
};

// Finds the runs of receipts.
class AssertedRuns {
 public:
  virtual ~AssertedRuns() = default;

  // Error receipt_unknown: the receipt is not one that is answered for; those of a run and of a store.
  virtual absl::StatusOr<std::shared_ptr<const AssertedRun>> Of(const Receipt& receipt,
                                                                const std::string& text) = 0;
};

// One call at a time.
class AsserterHost final : public DisputeService {
 public:
  // Both outlive this.
  AsserterHost(AssertedRuns& runs, DisputeLog& log) : runs_(runs), log_(log) {}

  absl::StatusOr<std::vector<uint8_t>> Begin(const Digest& id, const std::string& receipt) override;
  absl::StatusOr<std::vector<uint8_t>> Ask(const Digest& id, int step,
                                           std::span<const uint8_t> query) override;
  absl::StatusOr<std::string> Convict(const Digest& id, std::span<const uint8_t> certificate) override;
  absl::StatusOr<std::string> Verdict(const Digest& id) override;

 private:
  // A dispute that goes on, as it is after `steps` rounds.
  struct Session {
    Digest id = {};
    std::shared_ptr<const AssertedRun> run;
    std::unique_ptr<Asserter> asserter;
    std::unique_ptr<DisputeReferee> referee;  // which says whether a query is one that has an answer
    int steps = 0;
  };

  absl::StatusOr<std::unique_ptr<Session>> Open(const Digest& id, const std::string& receipt);
  // That of a dispute in the log; rebuilt from there where it is not in memory.
  absl::StatusOr<Session*> Find(const Digest& id, const LoggedDispute& logged);
  Session* Keep(std::unique_ptr<Session> session);  // in place of the one that was not used the longest
  static absl::StatusOr<std::vector<uint8_t>> Reply(Session& session, std::span<const uint8_t> query);

  AssertedRuns& runs_;
  DisputeLog& log_;
  std::list<std::unique_ptr<Session>>
      sessions_;  // the last that was used first; each has the values of a run
};

}  // namespace tally::server
