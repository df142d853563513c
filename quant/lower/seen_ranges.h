// The ranges that calibration saw around one node, for operators that choose grids by them.
#pragma once

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// Errors: calibration_missing.
absl::StatusOr<SeenRanges> SeenRangesOf(const Calibration& calibration, const Graph& graph, const Node& node);

}  // namespace tally::quant
