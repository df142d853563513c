// The step of one channel of weights: that of the least sum of squared rounding errors, which is not always
// the one that reaches the largest weight.
#pragma once

#include <span>

namespace tally::quant {

// The scale of symmetric codes in [-127, 127]; among a few between the one for the largest magnitude and
// 5/8 of it, by doubles in an order that no compiler changes.
double ChooseWeightScale(std::span<const float> weights);

}  // namespace tally::quant
