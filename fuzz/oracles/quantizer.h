// Laws of the quantizer: whatever a float graph and a calibration say, they become a module that nodes
// accept, or a refusal.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "fuzz/generators/entropy_source.h"
#include "quant/calibrate/calibration.h"
#include "quant/graph/graph.h"
#include "vm/valid_module.h"

namespace tally {

// Whether a fuzz target runs it in milliseconds.
bool IsSmall(const quant::Graph& graph);

// The network whose calibrations are seeds: images, a convolution, a sum, values that merely move, a softmax.
quant::Graph CalibratedNetwork();

// Two samples for `graph`, a small one, drawn from `e`; nothing where that is refused with a label. An error
// is a broken law.
absl::StatusOr<std::optional<quant::Calibration>> CalibrateOnDraws(EntropySource& e,
                                                                   const quant::Graph& graph);

// The module; nothing where lowering refuses with a label. Broken laws: a refusal without one, a module that
// validation refuses, a calibration that its own text does not give back.
absl::StatusOr<std::optional<ValidModule>> CheckQuantizer(const quant::Graph& graph,
                                                          const quant::Calibration& calibration);

}  // namespace tally
