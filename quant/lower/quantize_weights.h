// Per-channel symmetric weights of 8 bits, or of 16.
#pragma once

#include <cstdint>
#include <vector>

#include "quant/lower/weight_scale.h"
#include "quant/tensor/tensor.h"

namespace tally::quant {

struct QuantizedWeights {
  std::vector<int64_t> codes;           // in the order of the weights
  std::vector<double> scales;           // one for each channel; weight ~ code * scale
  std::vector<int64_t> code_sums;       // over each channel
  std::vector<int64_t> magnitude_sums;  // for |code| over each channel
};

// `channel_axis` is the axis whose entries have scales of their own. `smallest_scales`, when not empty,
// bounds each channel's scale from below (a bias must fit its accumulator). Codes of `bits` bits are in
// [-2^(bits - 1) + 1, 2^(bits - 1) - 1].
QuantizedWeights QuantizeWeights(const FloatTensor& weights, int channel_axis,
                                 const std::vector<double>& smallest_scales, int bits = kWeightBits);

// As many bits, up to 16, as keep sums of products with codes of up to `x_magnitude` within 32 bits; where
// that would leave fewer than 10, as many as keep them within 45, so that a multiplier has 17. At least 8.
int WideWeightBits(const FloatTensor& weights, int channel_axis, uint64_t x_magnitude);

// The reals that the codes stand for, in the order of the weights.
FloatTensor RoundedWeights(const FloatTensor& weights, int channel_axis);

}  // namespace tally::quant
