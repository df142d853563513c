// The mean error of each channel of a product's result from rounding its weights, for its bias to give back.
#pragma once

#include <span>
#include <vector>

#include "quant/lower/quantize_weights.h"
#include "quant/tensor/tensor.h"

namespace tally::quant {

// Shapes:   weight [OC, IC / groups, taps..], means [IC], shares one for each tap.
// Computes: y[oc] = sum over ic, t: (weight[oc, ic, t] - code * scale) means[g IC / groups + ic] shares[t],
//           g the group of oc; a share is that of the results whose tap does not fall into padding.
std::vector<double> BiasCorrection(const FloatTensor& weight, const QuantizedWeights& codes,
                                   std::span<const float> means, std::span<const double> shares);

}  // namespace tally::quant
