// Weights and biases with the codes and scales of their file, bit for bit.
#pragma once

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"
#include "quant/lower/quantize_weights.h"

namespace tally::quant {

// `codes` are those of a tensor of `shape`. Errors: lower_unsupported, where there are scales along another
// axis.
absl::StatusOr<QuantizedWeights> FileWeights(const ConstantCodes& codes, const Shape& shape,
                                             int channel_axis);

// Element `channel` of a bias as an integer in units of `accumulator_scale`, and no rounding where the file
// has it in these units (it multiplies the two scales in float32). Errors: lower_gain, where it is far beyond
// any accumulator.
absl::StatusOr<int64_t> BiasInUnits(const FloatTensor& bias, const ConstantCodes* codes, size_t channel,
                                    double accumulator_scale);

}  // namespace tally::quant
