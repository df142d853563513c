// The step of one channel of weights: that of the least sum of squared rounding errors, which is not always
// the one that reaches the largest weight.
#pragma once

#include <span>

namespace tally::quant {

constexpr int kWeightBits = 8;

// The scale of symmetric codes of `bits` bits, [-127, 127] of 8; among a few between the one for the largest
// magnitude and 5/8 of it, by doubles in an order that no compiler changes. Codes of more than 8 bits reach
// the largest magnitude.
double ChooseWeightScale(std::span<const float> weights, int bits = kWeightBits);

}  // namespace tally::quant
