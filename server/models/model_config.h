// How a model is served: a file of JSON beside it (docs/guides/serve.md#models).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tally::server {

struct ModelConfig {
  std::string engine = "cpu";
  std::string level;    // the most that kernels may use; empty: all that there is
  int64_t threads = 1;  // each run has
  int64_t gas_limit = std::numeric_limits<int64_t>::max();
  int64_t memory_limit = std::numeric_limits<int64_t>::max();  // bytes of the arena
  int64_t queue = 1024;                                        // requests that wait; more are refused
  int64_t batch = 8;                                           // requests that a worker takes at once
  int64_t deadline_ms = 30000;                                 // from a request's arrival on
  bool cache = true;                                           // repeated inputs are answered without a run
  bool floats = false;  // inputs and outputs that have a grid are FP32 in the metadata

  friend bool operator==(const ModelConfig&, const ModelConfig&) = default;
};

// An object with any of these members. Error model_config: another member, or a value out of range.
absl::StatusOr<ModelConfig> ModelConfigOfJson(std::string_view text);

}  // namespace tally::server
