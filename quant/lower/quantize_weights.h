// Per-channel symmetric int8 weights.
#pragma once

#include <cstdint>
#include <vector>

#include "quant/graph/tensor.h"

namespace tally::quant {

struct QuantizedWeights {
  std::vector<int64_t> codes;           // in [-127, 127], in the order of the weights
  std::vector<double> scales;           // one for each channel; weight ~ code * scale
  std::vector<int64_t> code_sums;       // over each channel
  std::vector<int64_t> magnitude_sums;  // for |code| over each channel
};

// `channel_axis` is the axis whose entries have scales of their own. `smallest_scales`, when not empty,
// bounds each channel's scale from below (a bias must fit its accumulator).
QuantizedWeights QuantizeWeights(const FloatTensor& weights, int channel_axis,
                                 const std::vector<double>& smallest_scales);

}  // namespace tally::quant
