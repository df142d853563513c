// A calibrated float graph becomes a module: the last stage of the producer.
//
//   ASSIGN_OR_RETURN(graph, FoldBatchNorm(graph));
//   ASSIGN_OR_RETURN(const Calibration calibration, CalibrateMinMax(graph, ...));
//   ASSIGN_OR_RETURN(Module module, LowerToModule(graph, calibration, {}));
//   ASSIGN_OR_RETURN(const ValidModule valid, Validate(std::move(module)));
//
// Weights are int8, symmetric, one scale per output channel; activations are affine int8 on the calibrated
// range; logits are int16. Each layer is exact integer code with one rounding, at its rescale. The same graph
// and the same calibration produce the same module.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/graph/graph.h"
#include "quant/lower/assign_types.h"
#include "vm/module.h"

namespace tally::quant {

struct LowerOptions {
  std::vector<InputFormat> inputs;
};

// `graph` has passed Verify and holds no BatchNorm. Errors name the node: lower_unsupported, lower_input,
// lower_gain, lower_shape, calibration_missing.
absl::StatusOr<Module> LowerToModule(const Graph& graph, const Calibration& calibration,
                                     const LowerOptions& options);

}  // namespace tally::quant
