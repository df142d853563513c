// Logarithms of sums, which are wider than any table of all their values.
#include <algorithm>
#include <array>
#include <optional>

#include "base/int_math.h"
#include "ops/common/compose.h"
#include "ops/elementwise/attrs.h"
#include "ops/lowerings.h"
#include "ops/reduction/lowering/attrs.h"
#include "ops/reduction/reduce_shape.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"
#include "ops/table/lowering/attrs.h"

namespace tally {
namespace {

constexpr int64_t kOneExponential = int64_t{1} << 30;
constexpr Interval kElement = TensorLimit(Profile::kCore);

absl::StatusOr<Value> Reduce(Composition& c, ReduceKind kind, Value x, const ReduceLogAttrs& attrs,
                             bool keepdims) {
  return c.Apply(Opcode::kReduce, {x}, ReduceAttrs{.kind = kind, .axes = attrs.axes, .keepdims = keepdims});
}

// x in the shape that `reduce` without keepdims gives; x has it with keepdims.
absl::StatusOr<Value> DropAxes(Composition& c, Value x, const Shape& whole, const ReduceLogAttrs& attrs) {
  const AxisSet set = AxesToReduce(attrs.axes, whole.rank());
  Dims kept;
  for (int axis = 0; axis < whole.rank(); ++axis) {
    if ((set >> axis & 1) == 0) kept.push_back(whole[axis]);
  }
  return Reshape(c, x, kept);
}

// A multiplier 2^-shift next to in / out, as fine as lincomb takes it with a shift of at most 30.
struct Ratio {
  int64_t multiplier;
  int64_t shift;
};

std::optional<Ratio> RatioOf(const Dims& in, const Dims& out) {
  for (int64_t shift = 30; shift >= 0; --shift) {
    // in / out 2^shift = in[0] 2^up / (out[0] 2^down), with shifts of at most 62 bits left over.
    const int64_t up = shift + out[1] - in[1];
    if (up > 62) continue;
    const Int128 numerator = Int128{in[0]} << std::max<int64_t>(up, 0);
    const Int128 denominator = Int128{out[0]} << std::min<int64_t>(std::max<int64_t>(-up, 0), 62);
    const Int128 nearest = FloorDiv<Int128>(2 * numerator + denominator, 2 * denominator);
    if (nearest < Int128{1} << 31) return Ratio{static_cast<int64_t>(nearest), shift};
  }
  return std::nullopt;
}

// E[d] = round(2^30 exp(d in)) of d = x - max, which is in [-reach, 0].
absl::StatusOr<Value> Exponentials(Composition& c, Value d, int64_t reach, const ReduceLogAttrs& attrs) {
  ASSIGN_OR_RETURN(const Value table, c.Constant(Recipe{.function = RecipeFunction::kExp,
                                                        .in = {attrs.in[0], attrs.in[1]},
                                                        .out = {1, 30},
                                                        .first = -reach,
                                                        .count = reach + 1,
                                                        .lo = 0,
                                                        .hi = kOneExponential}));
  return c.Apply(Opcode::kTable, {d, table}, TableAttrs{.offset = -reach});
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerReduceLogSum(Composition& c, std::span<const Value> operands,
                                                     const Attributes& attributes) {
  const auto attrs = Unpack<ReduceLogAttrs>(attributes);
  Value x = operands[0];
  if (attrs.zero_in != 0) {
    ASSIGN_OR_RETURN(x, c.Apply(Opcode::kBroadcastSub, {x, c.Constant({}, {attrs.zero_in})}));
  }
  ASSIGN_OR_RETURN(const Value sum, Reduce(c, ReduceKind::kSum, x, attrs, attrs.keepdims));
  return Lower(
      c, "wide_log", std::array{sum},
      Pack(WideAttrs{
          .in = attrs.in, .out = attrs.out, .zero_out = attrs.zero_out, .lo = attrs.lo, .hi = attrs.hi}));
}

absl::StatusOr<std::vector<Value>> LowerReduceLogSumExp(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  const auto attrs = Unpack<ReduceLogAttrs>(attributes);
  const Value x = operands[0];
  const Interval range = c.interval(x);
  if (!kElement.Contains(range) || range.Width() >= kMaxRecipeEntries) {
    return Meaningless(absl::StrCat("x in ", range.ToString(), " has more than ", kMaxRecipeEntries,
                                    " values: rescale it first"));
  }
  if (attrs.in[0] < 1 || attrs.out[0] < 1) return Meaningless("a scale is 0");
  const auto ratio = RatioOf(attrs.in, attrs.out);
  if (!ratio) return Meaningless("the input's scale is 2^31 times that of the result");
  const int64_t guard = std::min(
      {int64_t{16}, ratio->shift, 30 + BitLength(static_cast<uint64_t>(attrs.out[0])) - attrs.out[1]});
  if (guard < 0) return Meaningless("the result's scale is finer than wide_log gives it");

  ASSIGN_OR_RETURN(const Value max, Reduce(c, ReduceKind::kMax, x, attrs, true));
  ASSIGN_OR_RETURN(const Value d, c.Apply(Opcode::kBroadcastSub, {x, max}));
  ASSIGN_OR_RETURN(const Value e, Exponentials(c, d, range.hi - range.lo, attrs));
  ASSIGN_OR_RETURN(Value sum, Reduce(c, ReduceKind::kSum, e, attrs, true));
  ASSIGN_OR_RETURN(sum, c.Apply(Opcode::kClip, {sum}, ClipAttrs{kOneExponential, c.interval(sum).hi}));
  ASSIGN_OR_RETURN(const std::vector<Value> log,
                   Lower(c, "wide_log", std::array{sum},
                         Pack(WideAttrs{.in = {1, 30},
                                        .out = {attrs.out[0], attrs.out[1] + guard},
                                        .lo = kElement.lo,
                                        .hi = kElement.hi})));
  ASSIGN_OR_RETURN(
      const Value y,
      c.Apply(Opcode::kLincomb, {max, log[0]},
              LincombAttrs{.multipliers = {ratio->multiplier, int64_t{1} << (ratio->shift - guard)},
                           .zero_points = {attrs.zero_in, 0},
                           .shift = ratio->shift,
                           .zero_out = attrs.zero_out,
                           .lo = attrs.lo,
                           .hi = attrs.hi}));
  return One(attrs.keepdims ? absl::StatusOr<Value>(y) : DropAxes(c, y, c.shape(x), attrs));
}

}  // namespace tally
