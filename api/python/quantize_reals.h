// Reals to the integers of a grid as everything in Tally does it (quant/grid/quantized_type.h).
#pragma once

#include <cstdint>
#include <span>

namespace tally::python {

// codes[i] is the integer nearest to reals[i] / (multiplier * 2^-shift), plus the zero point, within
// [lowest, highest]. `reals` are finite.
void QuantizeReals(std::span<const double> reals, int64_t multiplier, int64_t shift, int64_t zero_point,
                   int64_t lowest, int64_t highest, std::span<int64_t> codes);

}  // namespace tally::python
