// The reference of each row, by opcode.
#pragma once

#include "ops/op_table.h"
#include "ops/reference.h"

namespace tally {

template <typename Int>
using ReferenceFn = void (*)(const ReferenceContext<Int>&);

// Int is int64_t, TrappingInt or FormalInt.
template <typename Int>
ReferenceFn<Int> ReferenceOf(Opcode code);

}  // namespace tally
