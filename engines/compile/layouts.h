// The two layouts of a value: which axes and which operators distinguish them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/layout.h"
#include "ops/op_table.h"

namespace tally {

// The axes that a transpose takes to bring a value of `rank` into `to`.
std::vector<int64_t> AxesInto(Layout to, int rank);

// Whether both layouts have the same bytes: a single channel, or a single position.
bool SameInBothLayouts(const Shape& shape);

// Operators whose results have all the bytes of their operands, in order.
inline bool IsView(Opcode op) {
  return op == Opcode::kReshape || op == Opcode::kFlatten || op == Opcode::kExpandDims ||
         op == Opcode::kSqueeze;
}

}  // namespace tally
