// Instructions whose results are bytes that are there already, or will be: nothing runs for them.
#pragma once

#include <cstddef>

#include "engines/compile/value_forms.h"

namespace tally {

// Sets the result of instruction `step` to bytes of its operands, or its operands to be copied into parts of
// its result (which alias may spare them). False when something would have to move otherwise: then nothing is
// done.
//
// - A reshape: all bytes in order.
// - A transpose between the two layouts: its operand in one is its result in the other.
// Where parts are views, also:
// - A slice whose elements are side by side, from a cache line on.
// - A concatenation whose operands are one after the other, on cache lines.
// - A concatenation of channels whose operands are results of fusion groups that nothing else reads: they
//   have been written into its rows.
bool AddView(ValueForms& values, size_t step, bool parts_are_views);

}  // namespace tally
