#include "base/status_macros.h"
#include "quant/lower/lowering.h"
#include "quant/ops/quantization/quantization_ops.h"

namespace tally::quant {

QuantizedType FakeQuantize::OwnGrid(const OperandTypes&) const { return grid; }

// Nothing where the operand is on the grid already.
LoweredResult FakeQuantize::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.OnGrid(x, to);
}

}  // namespace tally::quant
