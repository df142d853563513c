// Gas and precision rules that the linear rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// conv2d, dense and convolution: for every result its multiply-accumulates, those of padding included, and one unit.
WideGas GasWeightedSums(const GasContext& c);
// The same for matmul.
WideGas GasMatmul(const GasContext& c);
// conv_transpose: the products of every element of x, and for every result the search for its taps.
WideGas GasConvTranspose(const GasContext& c);

// Two units for each of the four pixels of a tap, two for its weight and its mask, and one for the rounding.
WideGas GasDeformableConv2d(const GasContext& c);

// conv2d and dense: px + pw + bitlen(terms); with a bias, max(that, pb) + 1.
std::vector<int> PrecisionOfWeightedSums(const PrecisionContext& c);

}  // namespace tally
