// A module, an honest run of it, and disputes against whatever somebody answers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proof/certificate/recorded_run.h"
#include "proof/dispute/dispute_referee.h"
#include "proof/dispute/messages.h"

namespace tally {

struct HonestRun {
  // A run of a module in text, on inputs drawn from a seed. Stops the program where the text is no module.
  static HonestRun Of(const std::string& text, uint64_t seed = 7);

  std::shared_ptr<const ValidModule> module;
  std::unique_ptr<const ClaimedModule> claimed;
  RecordedRun run;

  // The run with something else in it, committed to as it is.
  RecordedRun With(const std::function<void(RecordedRun&)>& change) const;
  // The referee that a host makes for a claim of this module.
  absl::StatusOr<DisputeReferee> RefereeOf(const DisputeOpening& opening) const;
};

// Adds `by` to an element.
void Alter(Tensor& tensor, int64_t element, int64_t by);

// An answer from somebody; an error where nothing comes.
using Reply = std::function<absl::StatusOr<Answer>(const Query&)>;

// The dispute of an honest challenger with somebody who opens and answers so: "asserter: why" or "challenger:
// why", by who has lost; "agreement"; or another word where the rules are broken. Each answer is shown to
// `watch` with the referee that is about to hear it, and the certificate where there is one.
struct Watch {
  std::function<void(const DisputeReferee&, const Query&, const Answer&)> answer;
  std::function<void(const std::vector<uint8_t>&)> certificate;
};
std::string Dispute(const HonestRun& honest, const DisputeOpening& opening, const Reply& reply,
                    int64_t most_direct, const Watch& watch = {});

}  // namespace tally
