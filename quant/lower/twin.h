// Instructions with several results, of which each node of the float graph yields one.
#pragma once

#include <optional>
#include <variant>

#include "quant/lower/lowering.h"

namespace tally::quant {

// The instruction of an earlier node that differs from `node`, of `op`, in its result alone: its first
// result. `result_of` gives the attribute that says which result, by reference; `agrees` may refuse a node.
template <typename Op, typename ResultOf, typename Agrees>
std::optional<tally::ValueId> FirstResultOfTwin(Lowering& lowering, const Node& node, const Op& op,
                                                ResultOf result_of, Agrees agrees) {
  for (const Node& other : lowering.graph().nodes) {
    if (&other == &node) break;
    const Op* twin = std::get_if<Op>(&other.op);
    if (twin == nullptr || other.operands != node.operands) continue;
    Op same = *twin, wanted = op;
    const auto offset = static_cast<tally::ValueId>(result_of(same));
    result_of(same) = result_of(wanted);
    const auto holder = lowering.HolderOf(other.result);
    if (same == op && holder.has_value() && agrees(other)) return *holder - offset;
  }
  return std::nullopt;
}

}  // namespace tally::quant
