#include "base/status_macros.h"
#include "ops/layout/attrs.h"
#include "quant/lower/lowering.h"
#include "quant/ops/layout/layout_ops.h"

namespace tally::quant {

LoweredResult ReverseSequence::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered lengths, lowering.Operand(node, 1));
  return lowering.builder().Op(Opcode::kReverseSequence, {x.id, lengths.id},
                               ReverseSequenceAttrs{.batch_axis = batch_axis, .seq_axis = time_axis});
}

}  // namespace tally::quant
