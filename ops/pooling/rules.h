// Gas and precision rules that the pooling rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// The gas of windows of `taps` elements: the lines of x that runs of y gather, and all of x, which engines
// may transpose.
WideGas GasOfWindows(const GasContext& c, Int128 taps);
// Beside that the elements of every window, those of padding included.
WideGas GasMaxPool2d(const GasContext& c);
WideGas GasMaxPool(const GasContext& c);
WideGas GasWindowSum(const GasContext& c);
// The same and, for every window, product, division, addition and clamp.
WideGas GasAveragePool(const GasContext& c);

// The pixels of every bin: bins share at most their border pixels, so an axis of n pixels and p bins has
// below n + p.
WideGas GasRoiMaxPool(const GasContext& c);
// For each result the pixels of its samples, and its rounding.
WideGas GasRoiAlign(const GasContext& c);
// One of the two above, by mode.
WideGas GasPsroiPool(const GasContext& c);
WideGas GasDeformablePsroiPool(const GasContext& c);

}  // namespace tally
