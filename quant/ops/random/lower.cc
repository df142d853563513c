#include "base/status_macros.h"
#include "ops/sampling/attrs.h"
#include "quant/lower/lowering.h"
#include "quant/ops/random/random_ops.h"

namespace tally::quant {

LoweredResult RandomIntegers::Lower(Lowering& lowering, const Node&, const QuantizedType&) const {
  const RandomUniformAttrs attrs = {.shape = shape, .seed = seed, .layer = layer, .lo = lo, .hi = hi};
  return lowering.builder().Op(Opcode::kRandomUniform, {}, attrs);
}

// Codes with the zero point 0 are in proportion to the weights; what is below 0 weighs nothing.
LoweredResult RandomCategorical::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered operand, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered x, lowering.Centered(operand));
  const tally::ValueId weights = x.type.interval.lo < 0 ? lowering.builder().Op(Opcode::kRelu, {x.id}) : x.id;
  const RandomCategoricalAttrs attrs = {.samples = samples, .seed = seed, .layer = layer};
  return lowering.builder().Op(Opcode::kRandomCategorical, {weights}, attrs);
}

}  // namespace tally::quant
