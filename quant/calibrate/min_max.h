// Runs a float graph over samples and records the smallest and largest element of every value.
//
//   const SampleSource samples = [&](int64_t i) { return std::vector<FloatTensor>{images[i]}; };
//   ASSIGN_OR_RETURN(const Calibration calibration, CalibrateMinMax(graph, num_images, samples));
//
// One pass in sample order on one thread: the same samples give the same file.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// The graph's inputs for sample `index`, so that a data set need not be in memory.
using SampleSource = std::function<absl::StatusOr<std::vector<FloatTensor>>(int64_t index)>;

// Told after each sample.
using Progress = std::function<void(int64_t num_done, int64_t num_samples)>;

// Errors: calibration_no_samples, calibration_not_finite (a value of some sample holds NaN or an infinity),
//         graph_run_inputs (a sample does not fit the graph), and those of `samples`.
absl::StatusOr<Calibration> CalibrateMinMax(const Graph& graph, int64_t num_samples,
                                            const SampleSource& samples, const Progress& progress = nullptr);

}  // namespace tally::quant
