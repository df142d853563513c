// How far the proof that nothing overflows is from its end.
//
//   const std::vector<int> bits = HeadroomBits(module, {4, 9});  // {37, 21}: no number on the way to value 9 needs more than 42 bits
#pragma once

#include <span>
#include <vector>

#include "vm/valid_module.h"

namespace tally::quant {

// Those of 63 bits that no number needs which the entry computes between the values `held` (or its inputs)
// and each of them: their intervals, and the bounds of partial sums in any order. A constant is no such
// number.
std::vector<int> HeadroomBits(const ValidModule& module, std::span<const tally::ValueId> held);

}  // namespace tally::quant
