#include "base/status_macros.h"
#include "ops/sort/attrs.h"
#include "quant/lower/lowering.h"
#include "quant/lower/twin.h"
#include "quant/ops/sort/sort_ops.h"

namespace tally::quant {

// Codes of one grid have the order of what they stand for.
LoweredResult TopK::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  const auto offset = static_cast<tally::ValueId>(result);
  const auto twin = FirstResultOfTwin(
      lowering, node, *this, [](TopK& of) -> TopKResult& { return of.result; },
      [](const Node&) { return true; });
  if (twin.has_value()) return *twin + offset;
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.builder().Op(Opcode::kTopK, {x.id}, TopKAttrs{.k = k, .axis = axis, .largest = !is_min}) +
         offset;
}

}  // namespace tally::quant
