// A calibrated float graph becomes a module: the last stage of the producer.
//
//   ASSIGN_OR_RETURN(graph, FoldBatchNorm(graph));
//   ASSIGN_OR_RETURN(const Calibration calibration, Calibrate(graph, ...));
//   ASSIGN_OR_RETURN(Module module, LowerToModule(graph, calibration, {}));
//   ASSIGN_OR_RETURN(const ValidModule valid, Validate(std::move(module)));
//
// Weights are int8, symmetric, one scale per output channel; activations are affine int8 on the part of the
// calibrated range that a method chooses (clip_ranges.h); logits, and what the calibration names, are int16.
// Each layer is exact integer code with one rounding, at its rescale. The same graph, calibration and method
// produce the same module.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/calibrate/clip_range.h"
#include "quant/graph/graph.h"
#include "quant/grid/input_format.h"
#include "quant/grid/quantized_type.h"
#include "quant/lower/assign_types.h"
#include "vm/module.h"

namespace tally::quant {

struct LowerOptions {
  std::vector<InputFormat> inputs;
  ClipMethod method = ClipMethod::kMse;
};

// The value in the module's entry that holds a value of the graph.
struct LoweredValue {
  tally::ValueId id = 0;
  QuantizedType type;
};

struct LoweredGraph {
  Module module;
  // By value of the graph; nothing where the module never holds it.
  std::vector<std::optional<LoweredValue>> values;
};

// Whether the network fits a module, as far as that is known before anything of it is calibrated. Error
// lower_size.
absl::Status CheckSize(const Graph& graph, const std::vector<InputFormat>& inputs);

// `graph` has passed Verify and holds no BatchNorm. Errors name the node: lower_unsupported, lower_input,
// lower_gain, lower_shape, calibration_missing.
absl::StatusOr<LoweredGraph> LowerGraph(const Graph& graph, const Calibration& calibration,
                                        const LowerOptions& options);

// The module alone.
absl::StatusOr<Module> LowerToModule(const Graph& graph, const Calibration& calibration,
                                     const LowerOptions& options);

}  // namespace tally::quant
