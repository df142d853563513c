// Where samples of a network come from, one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/calibrate/loop.h"
#include "quant/tensor/tensor.h"

namespace tally::quant {

// The graph's inputs for sample `index`, integer inputs as floats that hold integers, so that a data set
// need not be in memory.
using SampleSource = std::function<absl::StatusOr<std::vector<FloatTensor>>(int64_t index)>;

struct Samples {
  int64_t count = 0;
  SampleSource source;
  Loop loop = {};  // modules that are measured get their own states
};

// Told after each sample.
using Progress = std::function<void(int64_t num_done, int64_t num_samples)>;

}  // namespace tally::quant
