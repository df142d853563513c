// How much of the error of a network's outputs each rounding to 8 bits causes.
//
//   ASSIGN_OR_RETURN(const std::vector<OutputNoise> noise,
//                    MeasureRoundingNoise(graph, lowered.values, sources, groups, count, samples));
//   noise[3][0];  // 1e-4: with the roundings of groups[3] alone, output 0 has 40 dB
//
// Errors of roundings are nearly independent, so their powers add up: the sum over all sources predicts the
// error of the module, and what is left of it when some of them take 16 bits. Roundings in one group are
// measured together. One float run of each sample serves all sources; for each only what depends on it is
// computed again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/accuracy/rounding_sources.h"
#include "quant/calibrate/sample_source.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// By output: the power of the error as a share of the power of the signal, at most kMostNoise, as what rounds
// to 0 may have an infinite logarithm; 0 where the signal is 0, and for choices (IsChoice).
using OutputNoise = std::vector<double>;
constexpr double kMostNoise = 1e6;

// By group. `graph` has passed Verify, `lowered` are the values of LowerGraph. `progress` is told of sources
// on samples. Errors: calibration_not_finite, graph_run_inputs, those of `samples`.
absl::StatusOr<std::vector<OutputNoise>> MeasureRoundingNoise(
    const Graph& graph, const std::vector<std::optional<LoweredValue>>& lowered,
    const RoundingSources& sources, std::span<const std::vector<RoundingSource>> groups, int64_t num_samples,
    const SampleSource& samples, const Progress& progress = nullptr);

}  // namespace tally::quant
