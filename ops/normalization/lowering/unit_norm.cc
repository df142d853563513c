// Rows divided by their L1 or L2 norm, and batch norm: operators whose constants and axes a name implies.
#include <algorithm>
#include <array>

#include "ops/common/binade.h"
#include "ops/common/compose.h"
#include "ops/elementwise/attrs.h"
#include "ops/lowerings.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/lowering/attrs.h"
#include "ops/reduction/lowering/attrs.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

constexpr int64_t kNormalizedBits = 20;  // for a normalized value in rms_norm

absl::StatusOr<int64_t> RowLength(const Shape& x, const Dims& axes) {
  ASSIGN_OR_RETURN(const std::vector<bool> listed, AxesOf(axes, x.rank()));
  int64_t length = 1;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (listed[axis]) length *= x[axis];
  }
  return length;
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerBatchNorm(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  const auto attrs = Unpack<BatchNormAttrs>(attributes);
  const Shape& x = c.shape(operands[0]);
  if (x.rank() < 2) return Meaningless(absl::StrCat("x ", x.ToString(), " has no channels"));
  for (const Value list : operands.subspan(1)) {
    if (c.constant(list) == nullptr || c.shape(list) != *Shape::Create({x[1]})) {
      return Meaningless(
          absl::StrCat(c.shape(list).ToString(), " is not a constant list for ", x[1], " channels"));
    }
  }
  return One(c.Apply(
      Opcode::kRescale, {operands.begin(), operands.end()},
      RescaleAttrs{
          .axis = 1, .zero_in = attrs.zero_in, .zero_out = attrs.zero_out, .lo = attrs.lo, .hi = attrs.hi}));
}

absl::StatusOr<std::vector<Value>> LowerL1Normalize(Composition& c, std::span<const Value> operands,
                                                    const Attributes& attributes) {
  const auto attrs = Unpack<L1NormalizeAttrs>(attributes);
  const int64_t one = int64_t{1} << attrs.bits;
  ASSIGN_OR_RETURN(const Value x, Plus(c, operands[0], -attrs.zero_in));
  ASSIGN_OR_RETURN(
      const std::vector<Value> sum,
      Lower(c, "reduce_l1", std::array{x}, Pack(ReduceAxesAttrs{.axes = attrs.axes, .keepdims = true})));
  ASSIGN_OR_RETURN(const Value scaled, c.Apply(Opcode::kBroadcastMul, {x, c.Constant({}, {one})}));
  ASSIGN_OR_RETURN(const Value quotient,
                   c.Apply(Opcode::kDivide, {scaled, sum[0]}, DivideAttrs{Rounding::kHalfUp}));
  ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kClip, {quotient}, ClipAttrs{-one, one}));
  return One(Plus(c, y, attrs.zero_out));
}

absl::StatusOr<std::vector<Value>> LowerL2Normalize(Composition& c, std::span<const Value> operands,
                                                    const Attributes& attributes) {
  const auto attrs = Unpack<L2NormalizeAttrs>(attributes);
  const RecipeScale out = {attrs.out[0], attrs.out[1]};
  ASSIGN_OR_RETURN(const int64_t length, RowLength(c.shape(operands[0]), attrs.axes));
  const Int128 epsilon = Int128{attrs.epsilon} * length;
  if (out.multiplier < 1) return Meaningless("a scale is 0");
  if (epsilon > Int128{1} << 62) return Meaningless("epsilon for each element of a row is above 2^62");
  // m is below 2^41 and as many bits as a recipe's scale allows.
  const int64_t fine = std::min<int64_t>(62, 40 + FloorLog2Of(out.multiplier));
  const int64_t shift = std::min<int64_t>(kMaxRescaleShift, fine + kNormalizedBits - out.shift);
  if (shift < 0) return Meaningless("the result's scale is too fine");
  ASSIGN_OR_RETURN(const Value m,
                   c.Constant(Recipe{.function = RecipeFunction::kRsqrt,
                                     .out = {out.multiplier, out.shift + shift - kNormalizedBits},
                                     .first = length,
                                     .lo = 0,
                                     .hi = kClamp.hi}));
  RmsNormAttrs norm;
  norm.axes = attrs.axes;
  norm.guard = attrs.guard;
  norm.epsilon = static_cast<int64_t>(epsilon);
  norm.epsilon_mode = attrs.maximum ? EpsilonMode::kMaximum : EpsilonMode::kAdded;
  norm.shift = shift;
  norm.zero_out = attrs.zero_out;
  norm.lo = attrs.lo;
  norm.hi = attrs.hi;
  norm.zero_in = attrs.zero_in;
  return One(c.Apply(Opcode::kRmsNorm, {operands[0], m, c.Constant({1}, {0})}, norm));
}

absl::StatusOr<std::vector<Value>> LowerGrn(Composition& c, std::span<const Value> operands,
                                            const Attributes& attributes) {
  if (c.shape(operands[0]).rank() < 2) return Meaningless("x has no channels");
  L2NormalizeAttrs attrs;
  static_cast<GrnAttrs&>(attrs) = Unpack<GrnAttrs>(attributes);
  attrs.axes = {1};
  return LowerL2Normalize(c, operands, Pack(attrs));
}

}  // namespace tally
