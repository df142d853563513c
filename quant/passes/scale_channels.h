// Weights of linear operators times a factor for each output channel, for passes that fold factors into them.
#pragma once

#include <span>

#include "quant/graph/op.h"
#include "quant/tensor/tensor.h"

namespace tally::quant {

// Whether `op` is a Conv, a ConvTranspose or a Dense.
bool IsLinear(const Op& op);

// The weight of such an operator with output channel c multiplied by factors[c]: [OC, ...], but of a
// transposed convolution [IC, OC / groups, ...], where the channels of a group of inputs follow those of the
// groups before. Products are of doubles, rounded once.
FloatTensor ScaledChannels(const Op& op, FloatTensor weight, std::span<const double> factors);

}  // namespace tally::quant
