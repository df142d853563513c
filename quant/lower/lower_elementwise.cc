// Add, Relu and Clip.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/status_macros.h"
#include "ops/elementwise/attrs.h"
#include "ops/rescale/attrs.h"
#include "quant/labels.h"
#include "quant/lower/lowering.h"

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

absl::StatusOr<tally::ValueId> Lowering::Lower(const Add&, const Node& node, const QuantizedType& to) {
  ASSIGN_OR_RETURN(const Lowered a, Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered b, Operand(node, 1));
  const CommonShift gains = ToCommonShift({a.type.scale / to.scale, b.type.scale / to.scale});
  const auto shape_a = ShapeOfOperand(node, 0), shape_b = ShapeOfOperand(node, 1);
  if (std::equal(shape_a.begin(), shape_a.end(), shape_b.begin(), shape_b.end())) {
    return builder_.Op(Opcode::kLincomb, {a.id, b.id},
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
  ASSIGN_OR_RETURN(const tally::ValueId fine_a, OnGrid(a, fine));
  ASSIGN_OR_RETURN(const tally::ValueId fine_b, OnGrid(b, fine));
  const tally::ValueId sum = builder_.Op(Opcode::kBroadcastAdd, {fine_a, fine_b});
  return Rescale(sum, {.gains = {{.multiplier = 1, .shift = kGuardBits}}}, to);
}

absl::StatusOr<tally::ValueId> Lowering::Lower(const Relu&, const Node& node, const QuantizedType& to) {
  return Lower(Clip{0, HUGE_VALF}, node, to);
}

// The bounds are already in the grid of the result, which is that of the operand.
absl::StatusOr<tally::ValueId> Lowering::Lower(const Clip&, const Node& node, const QuantizedType& to) {
  ASSIGN_OR_RETURN(const Lowered x, Operand(node, 0));
  return builder_.Op(Opcode::kClip, {x.id}, ClipAttrs{.a_min = to.interval.lo, .a_max = to.interval.hi});
}

absl::StatusOr<tally::ValueId> Lowering::Lower(const BatchNorm&, const Node&, const QuantizedType&) {
  return MakeError(label::lower_unsupported, "batch normalization is folded before lowering");
}

absl::StatusOr<tally::ValueId> Lowering::Lower(const Constant&, const Node&, const QuantizedType&) {
  return MakeError(label::lower_unsupported, "constants are lowered where they are read");
}

}  // namespace tally::quant
