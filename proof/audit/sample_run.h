// A recorded run audited by some of its elements, drawn at random: each is judged by what it is computed
// from, as the run has that (docs/spec/audit.md#samples).
//
//   ASSIGN_OR_RETURN(const SampledRun sampled, SampleRun(claimed, run, 300, random));
//   if (sampled.wrong) ...  // the run is not one of the module
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "absl/status/statusor.h"
#include "proof/certificate/certificate.h"
#include "proof/certificate/recorded_run.h"
#include "proof/receipt/claim_run.h"

namespace tally {

struct SampledRun {
  uint64_t elements = 0;  // entries and results have so many
  uint64_t judged = 0;    // with the wrong one
  bool wrong = false;
  // The evidence, where the first wrong element has some without an expansion; `tally dispute` ends the
  // others.
  std::optional<Certificate> certificate;
};

// Whatever needs no sample is checked first: the gas, the inputs, the order of the entries, and their types.
// Elements are drawn evenly, and may be drawn again. Errors: claim_module, dispute_bounds, dispute_claim, as
// for Convict; those of a judgement.
absl::StatusOr<SampledRun> SampleRun(const ClaimedModule& claimed, const RecordedRun& run, uint64_t count,
                                     std::mt19937_64& random);

}  // namespace tally
