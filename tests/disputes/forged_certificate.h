// Certificates that should convict nobody.
#pragma once

#include <memory>
#include <random>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "proof/certificate/accused_run.h"
#include "proof/certificate/certificate.h"
#include "proof/certificate/recorded_run.h"
#include "vm/valid_module.h"

namespace tally {

// A module of the generator and an honest run of it, drawn from some bytes.
struct DrawnRun {
  explicit DrawnRun(std::span<const uint8_t> noise);

  std::shared_ptr<const ValidModule> module;
  std::unique_ptr<const ClaimedModule> claimed;
  RecordedRun run;
};

// A charge against the run, which is honest, with all that it takes to be judged. `parts` is of the run.
absl::StatusOr<Certificate> Forge(const DrawnRun& drawn, AccusedRun& parts, std::mt19937_64& random);

// Makes it another certificate than its prosecutor has made: in its charge or its openings; or in its
// program and bounds, with a claim that names them.
void Spoil(Certificate& certificate, std::mt19937_64& random);
void SpoilProgram(Certificate& certificate, std::mt19937_64& random);

}  // namespace tally
