// A dispute between two runs that are both at hand, through the bytes of its messages.
//
//   ASSIGN_OR_RETURN(const PlayedDispute played, PlayDispute(claimed, honest, accused));
//   played.end->conviction->what;
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ops/read_set.h"
#include "proof/certificate/recorded_run.h"
#include "proof/dispute/dispute_referee.h"
#include "proof/dispute/messages.h"

namespace tally {

// A query and its answer.
struct DisputeRound {
  Query query;
  Answer answer;
  uint64_t query_bytes = 0, answer_bytes = 0;
};

struct PlayedDispute {
  DisputeOpening opening;
  uint64_t opening_bytes = 0;
  std::vector<DisputeRound> rounds;
  std::vector<uint8_t> certificate;                            // empty where the parties agree
  std::optional<DisputeEnd> end;                               // nothing where they agree
  int64_t asserter_ns = 0, challenger_ns = 0, referee_ns = 0;  // that each party took

  // How many the asserter has sent, its opening among them.
  size_t messages() const { return 1 + rounds.size(); }
};

// Each round is shown to `show` when its answer is there. Errors: those of Challenger and of Asserter.
absl::StatusOr<PlayedDispute> PlayDispute(const ClaimedModule& claimed, const RecordedRun& honest,
                                          const RecordedRun& accused,
                                          const std::function<void(const DisputeRound&)>& show = nullptr,
                                          int64_t most_direct = kMostLeafBytes);

}  // namespace tally
