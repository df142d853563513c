// Runs a float graph over samples and records what calibration files keep: the smallest and largest
// element of every value, and of what operators compute inside that needs a grid; how the elements are
// spread; means of channels.
//
//   const SampleSource samples = [&](int64_t i) { return std::vector<FloatTensor>{images[i]}; };
//   ASSIGN_OR_RETURN(const Calibration calibration, Calibrate(graph, num_images, samples));
//
// One pass in sample order on one thread, in memory that does not grow with their number: the same samples
// give the same file. There is a histogram of every float but of those that only moved, whose grid is that of
// what they were, and of what is computed inside, which has 16 bits and is never clipped.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/calibrate/sample_source.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// Errors: calibration_no_samples, calibration_not_finite (a value of some sample holds NaN or an infinity),
//         graph_run_inputs (a sample does not fit the graph), and those of `samples`.
absl::StatusOr<Calibration> Calibrate(const Graph& graph, int64_t num_samples, const SampleSource& samples,
                                      const Progress& progress = nullptr);

}  // namespace tally::quant
