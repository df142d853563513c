#include <cmath>

#include "base/int_math.h"
#include "base/status_macros.h"
#include "ops/pooling/attrs.h"
#include "quant/lower/lowering.h"
#include "quant/ops/pooling/pooling_ops.h"

namespace tally::quant {
namespace {

// The average of windows of x, on grid `to`.
LoweredResult Average(Lowering& lowering, const Lowered& x, const AveragePool& op, size_t rank,
                      const QuantizedType& to) {
  const int64_t window = op.kernel.z * op.kernel.y * op.kernel.x;
  const uint64_t magnitude =
      (x.type.interval.Magnitude() + static_cast<uint64_t>(std::abs(x.type.zero_point))) *
      static_cast<uint64_t>(window);
  // average_pool_c8 asks for 2 * (magnitude * multiplier + window * 2^shift) < 2^63: two bits less of the
  // product than a rescale has, and a shift that leaves room for the divisor.
  ASSIGN_OR_RETURN(FixedMultiplier gain, ToFixedMultiplier(x.type.scale / to.scale, 4 * magnitude));
  const int most_shift = 60 - BitLength(static_cast<uint64_t>(window));
  for (; gain.shift > most_shift; --gain.shift) gain.multiplier = (gain.multiplier + 1) / 2;
  // Where the sum times the multiplier has no tie, neither has its quotient by the window.
  return lowering.builder().Op(
      Opcode::kAveragePool, {x.id},
      AveragePoolAttrs{.kernel = ListOf(op.kernel, rank),
                       .stride = ListOf(op.stride, rank),
                       .dilation = ListOf(op.dilation, rank),
                       .pad_begin = BeginsOf(op.pad, rank),
                       .pad_end = EndsOf(op.pad, rank),
                       .ceil_mode = op.ceil_mode,
                       .count_include_pad = op.count_include_pad,
                       .zero_in = x.type.zero_point,
                       .multiplier = gain.multiplier,
                       .shift = gain.shift,
                       .rounding = CanTie(gain, magnitude) ? to.rounding : Rounding::kHalfUp,
                       .zero_out = to.zero_point,
                       .lo = to.interval.lo,
                       .hi = to.interval.hi});
}

}  // namespace

LoweredResult MaxPool::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const size_t rank = lowering.ShapeOfOperand(node, 0).size();
  return lowering.builder().Op(Opcode::kMaxPool, {x.id},
                               PoolAttrs{.kernel = ListOf(kernel, rank),
                                         .stride = ListOf(stride, rank),
                                         .dilation = ListOf(dilation, rank),
                                         .pad_begin = BeginsOf(pad, rank),
                                         .pad_end = EndsOf(pad, rank)});
}

LoweredResult AveragePool::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return Average(lowering, x, *this, lowering.ShapeOfOperand(node, 0).size(), to);
}

LoweredResult GlobalAveragePool::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const auto shape = lowering.ShapeOfOperand(node, 0);
  AveragePool whole;
  whole.kernel = SpatialSize({shape.begin(), shape.end()});
  return Average(lowering, x, whole, shape.size(), to);
}

}  // namespace tally::quant
