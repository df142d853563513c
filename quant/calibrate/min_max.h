// Runs a float graph over samples and records the smallest and largest element of every value, and of what operators
// compute inside that needs a grid.
//
//   const SampleSource samples = [&](int64_t i) { return std::vector<FloatTensor>{images[i]}; };
//   ASSIGN_OR_RETURN(const Calibration calibration, CalibrateMinMax(graph, num_images, samples));
//
// One pass in sample order on one thread: the same samples give the same file.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/calibrate/sample_source.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// Errors: calibration_no_samples, calibration_not_finite (a value of some sample holds NaN or an infinity),
//         graph_run_inputs (a sample does not fit the graph), and those of `samples`.
absl::StatusOr<Calibration> CalibrateMinMax(const Graph& graph, int64_t num_samples,
                                            const SampleSource& samples, const Progress& progress = nullptr);

}  // namespace tally::quant
