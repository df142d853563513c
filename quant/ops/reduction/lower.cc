#include <cstdlib>

#include "base/status_macros.h"
#include "ops/reduction/attrs.h"
#include "quant/lower/lowering.h"
#include "quant/ops/groups.h"
#include "quant/ops/reduction/reduction_ops.h"

namespace tally::quant {

LoweredResult ArgExtreme::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.builder().Op(Opcode::kArgExtreme, {x.id},
                               ArgExtremeAttrs{.kind = is_min ? Extreme::kMin : Extreme::kMax,
                                               .ties = takes_last ? Ties::kHighest : Ties::kLowest,
                                               .axis = axis,
                                               .keepdims = keep_dimension});
}

// The exact sum, rounded once. The zero points of all terms leave it with the product, as for many of them
// their sum has more bits than a zero point may have.
LoweredResult ReduceSum::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const auto dims = lowering.ShapeOfOperand(node, 0);
  const int64_t count = GroupSize({dims.begin(), dims.end()}, axes);
  const tally::ValueId sum =
      lowering.builder().Op(Opcode::kReduce, {x.id},
                            ReduceAttrs{.kind = ReduceKind::kSum, .axes = axes, .keepdims = keep_dimensions});
  if (lowering.graph().values[node.result].type.element == ElementType::kInt64) return sum;
  const uint64_t magnitude =
      (x.type.interval.Magnitude() + static_cast<uint64_t>(std::abs(x.type.zero_point))) *
      static_cast<uint64_t>(count);
  const double divisor = is_mean ? static_cast<double>(count) : 1;
  ASSIGN_OR_RETURN(const FixedMultiplier gain,
                   ToFixedMultiplier(x.type.scale / to.scale / divisor, magnitude));
  return lowering.Rescale(sum,
                          {.gains = {gain},
                           .addends = {-count * x.type.zero_point * gain.multiplier},
                           .has_ties = CanTie(gain, magnitude)},
                          to);
}

LoweredResult ReduceExtreme::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.builder().Op(
      Opcode::kReduce, {x.id},
      ReduceAttrs{
          .kind = is_min ? ReduceKind::kMin : ReduceKind::kMax, .axes = axes, .keepdims = keep_dimensions});
}

LoweredResult ReduceProduct::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.builder().Op(
      Opcode::kReduce, {x.id},
      ReduceAttrs{.kind = ReduceKind::kProduct, .axes = axes, .keepdims = keep_dimensions});
}

}  // namespace tally::quant
