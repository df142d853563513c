// The alterations that a dishonest party can make to its claim and its trace.
#pragma once

#include <random>
#include <string>

#include "proof/certificate/recorded_run.h"

namespace tally {

// A copy of `honest` with something else in it than a run has, committed to as it is; and in words what. It
// may be equal to `honest`, where there is nothing to change in that way.
struct AlteredRun {
  RecordedRun run;
  std::string what;
};
AlteredRun Alter(const ValidModule& module, const RecordedRun& honest, std::mt19937_64& random);

}  // namespace tally
