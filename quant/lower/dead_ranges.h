// Values that were 0 in all samples: a Relu that nothing passed, or a branch that the samples never took.
//
//   calibration = WithLiveRanges(graph, std::move(calibration));
//
// The finest grid of [0, 0] would be so fine that no multiplier reaches it, and would hold nothing of another
// input.
#pragma once

#include "quant/calibrate/calibration.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// In place of [0, 0] such a value has the range that its operands and constant weights allow: the largest
// operand, times the largest sum of magnitudes that the weights of a product or convolution have for one
// result.
Calibration WithLiveRanges(const Graph& graph, Calibration calibration);

}  // namespace tally::quant
