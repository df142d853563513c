// The cost of one value's grid alone to the outputs.
//
//   ASSIGN_OR_RETURN(LayerAccuracies layers, MeasureLayers(...));
//   RETURN_IF_ERROR(MeasureSensitivity(graph, count, samples, layers));
//   layers.layers[3].alone_db;  // 41.5: with this value rounded to its grid and all else in floats, the worst output has 41.5 dB
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "quant/accuracy/measure_layers.h"
#include "quant/calibrate/sample_source.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// Sets alone_db of each layer that computes something. Runs the float network once for each of them and each
// sample; `progress` is told of samples. Errors: calibration_not_finite, graph_run_inputs, those of
// `samples`.
absl::Status MeasureSensitivity(const Graph& graph, int64_t num_samples, const SampleSource& samples,
                                LayerAccuracies& layers, const Progress& progress = nullptr);

}  // namespace tally::quant
