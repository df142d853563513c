// How an element that reads more than a judgement can show is computed in steps (docs/spec/expansion.md).
//
//   const auto e = ExpansionOf<FormalInt>(Opcode::kSort, context);
//   e.columns().back();  // the element
//
// Every operator has an expansion. Where an element reads much because it is apart, what it reads is gathered
// and the reference reads that. Where it is much in itself, a row of ops/expansion_table.h says how it is
// computed.
#pragma once

#include <cstdint>
#include <optional>

#include "ops/expansion.h"
#include "ops/op_table.h"
#include "ops/read_set.h"

namespace tally {

// Bytes of what an element reads when its parts are gathered: an upper bound by types and attributes.
int64_t GatheredBytes(Opcode op, const ReadContext& c);

// The expansion of an element: gathered where that is at most `most` bytes or there is no row for it, else as
// its row says. What `c` names outlives it. With `only` it has the steps of that column alone. Int is
// TrappingInt or FormalInt.
template <typename Int>
Expansion<Int> ExpansionOf(Opcode op, const ReadContext& c, int64_t most = kMostLeafBytes,
                           std::optional<int> only = std::nullopt);

}  // namespace tally
