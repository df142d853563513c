// Instructions whose results are bytes that are there already: nothing runs for them.
#pragma once

#include <cstddef>

#include "vm/engines/cpu/program_builder.h"

namespace tally::cpu {

// Sets the result of instruction `step` to bytes of its operands, or makes its operands parts of its result. False when
// something would have to move: then nothing is done.
//
// - A reshape: all bytes in order.
// - A transpose between the two layouts: its operand in one is its result in the other.
// - A slice whose elements lie side by side, from a cache line on.
// - A concatenation whose operands lie one behind the other, on cache lines: the steps that compute them write into it.
//   Operands that cannot be placed so are copied.
// - A concatenation of channels whose operands are results of GEMMs that nothing else reads: they have been written
// into its rows.
bool AddView(ProgramBuilder& builder, size_t step);

}  // namespace tally::cpu
