#include <algorithm>
#include <cmath>

#include "base/status_macros.h"
#include "ops/elementwise/attrs.h"
#include "ops/rescale/attrs.h"
#include "quant/lower/lowering.h"
#include "quant/ops/elementwise/elementwise_ops.h"

namespace tally::quant {
namespace {

// Multipliers m_k with x_k's gain ~ m_k * 2^-shift, the largest just below 2^30: with operands of at most 17
// bits the sum of two products stays far inside 63 bits.
struct CommonShift {
  std::vector<int64_t> multipliers;
  int64_t shift = 0;
};

CommonShift ToCommonShift(const std::vector<double>& gains) {
  int exponent = 0;
  std::frexp(*std::max_element(gains.begin(), gains.end()), &exponent);
  CommonShift result;
  result.shift = std::clamp(30 - exponent, 0, 62);
  for (const double gain : gains) {
    result.multipliers.push_back(std::llround(std::ldexp(gain, static_cast<int>(result.shift))));
  }
  return result;
}

}  // namespace

LoweredResult Add::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered a, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered b, lowering.Operand(node, 1));
  const CommonShift gains = ToCommonShift({a.type.scale / to.scale, b.type.scale / to.scale});
  const auto shape_a = lowering.ShapeOfOperand(node, 0), shape_b = lowering.ShapeOfOperand(node, 1);
  if (std::equal(shape_a.begin(), shape_a.end(), shape_b.begin(), shape_b.end())) {
    return lowering.builder().Op(Opcode::kLincomb, {a.id, b.id},
                                 LincombAttrs{.multipliers = gains.multipliers,
                                              .zero_points = {a.type.zero_point, b.type.zero_point},
                                              .bias = 0,
                                              .shift = gains.shift,
                                              .rounding = Rounding::kHalfUp,
                                              .zero_out = to.zero_point,
                                              .lo = to.interval.lo,
                                              .hi = to.interval.hi});
  }
  // Broadcast: both operands move to a grid 2^8 finer than the result's, are added, and rounded once more.
  constexpr int kGuardBits = 8;
  QuantizedType fine{std::ldexp(to.scale, -kGuardBits), 0, {-(int64_t{1} << 40), int64_t{1} << 40}};
  ASSIGN_OR_RETURN(const tally::ValueId fine_a, lowering.OnGrid(a, fine));
  ASSIGN_OR_RETURN(const tally::ValueId fine_b, lowering.OnGrid(b, fine));
  const tally::ValueId sum = lowering.builder().Op(Opcode::kBroadcastAdd, {fine_a, fine_b});
  return lowering.Rescale(sum, {.gains = {{.multiplier = 1, .shift = kGuardBits}}}, to);
}

LoweredResult Relu::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  return Clip{0, HUGE_VALF}.Lower(lowering, node, to);
}

// The bounds are already in the grid of the result, which is that of the operand.
LoweredResult Clip::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.builder().Op(Opcode::kClip, {x.id},
                               ClipAttrs{.a_min = to.interval.lo, .a_max = to.interval.hi});
}

}  // namespace tally::quant
