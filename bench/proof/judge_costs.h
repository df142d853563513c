// How long the judge takes for certificates that are as large as a file may be, each in a way of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tally::bench {

struct JudgeCost {
  std::string what;
  uint64_t file_bytes = 0;
  double check_ms = 0;
  std::string verdict;  // "convicted", or the label of the refusal
};

// Errors: those of assembling, running and accusing, which these modules have none of.
absl::StatusOr<std::vector<JudgeCost>> MeasureJudge();

}  // namespace tally::bench
