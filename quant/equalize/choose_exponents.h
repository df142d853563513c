// By which powers of two to divide channels, so that one grid for all of them loses least.
//
//   ASSIGN_OR_RETURN(const ChannelExponents exponents, ChooseExponents(graph, count, samples));
//   ASSIGN_OR_RETURN(graph, Equalized(std::move(graph), exponents));
//
// A grid of 8 bits has the step of the channel that reaches farthest; channels that reach less far are
// rounded as coarsely. Dividing each by what it reaches (cross-layer equalization, Nagel et al. 2019) moves
// the differences into the weights that read them. Those lose more then, but for the weights of depthwise
// layers, which have a scale for each channel. So for each group the noise of both is predicted, for divisors
//   a^alpha / w^(1 - alpha), a: what the channel reaches, w: its largest weight
// (SmoothQuant, Xiao et al. 2022)
// with several alpha, and the least is taken, where it is less than that of the channels as they are.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/calibrate/sample_source.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// Runs the float network on each sample once; a few suffice. Errors: graph_run_inputs, those of `samples`.
absl::StatusOr<ChannelExponents> ChooseExponents(const Graph& graph, int64_t num_samples,
                                                 const SampleSource& samples,
                                                 const Progress& progress = nullptr);

}  // namespace tally::quant
