#include "base/status_macros.h"
#include "quant/lower/lowering.h"
#include "quant/lower/twin.h"
#include "quant/ops/detection/detection_ops.h"

namespace tally::quant {

LoweredResult CtcGreedyDecoder::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  const auto offset = static_cast<tally::ValueId>(result);
  const auto twin = FirstResultOfTwin(
      lowering, node, *this, [](CtcGreedyDecoder& of) -> CtcResult& { return of.result; },
      [](const Node&) { return true; });
  if (twin.has_value()) return *twin + offset;
  std::vector<tally::ValueId> operands;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    ASSIGN_OR_RETURN(const Lowered operand, lowering.Operand(node, i));
    operands.push_back(operand.id);
  }
  return lowering.builder().Op(Opcode::kCtcGreedyDecoder, std::move(operands),
                               CtcGreedyDecoderAttrs{.blank = blank, .merge_repeated = merge_repeated}) +
         offset;
}

}  // namespace tally::quant
