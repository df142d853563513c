// The integer grid of every value of a float graph, chosen before any code is written.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/graph/graph.h"
#include "quant/grid/input_format.h"
#include "quant/grid/quantized_type.h"
#include "quant/lower/fusion.h"

namespace tally::quant {

// By value. The grid of an input that has no format comes from calibration. Nothing for values that the
// module never holds: constants, and results of nodes that another node publishes. Errors: lower_input (a
// format that names no input, or a bad one), calibration_missing, lower_unsupported.
absl::StatusOr<std::vector<std::optional<QuantizedType>>> AssignTypes(const Graph& graph,
                                                                      const std::vector<Fusion>& fusions,
                                                                      const Calibration& calibration,
                                                                      const std::vector<InputFormat>& inputs);

}  // namespace tally::quant
