// Global response norm of ConvNeXt V2: each channel grows with its norm over the mean norm of all channels.
#include "ops/common/compose.h"
#include "ops/elementwise/attrs.h"
#include "ops/lowerings.h"
#include "ops/normalization/lowering/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/reduction/lowering/attrs.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

// The norm of every channel, times 2^guard and rounded.
absl::StatusOr<Value> Norms(Composition& c, Value v, int64_t guard) {
  ReduceAxesAttrs places = {.keepdims = true};
  for (int axis = 2; axis < c.shape(v).rank(); ++axis) places.axes.push_back(axis);
  ASSIGN_OR_RETURN(const Value squares, LowerOne(c, "reduce_sum_square", std::array{v}, places));
  ASSIGN_OR_RETURN(const Value scaled, Times(c, squares, int64_t{1} << (2 * guard)));
  return c.Apply(Opcode::kSqrt, {scaled}, SqrtAttrs{RootRounding::kNearest});
}

// Every norm over the mean of those of its sample, times 2^bits and rounded; 0 where all are 0.
absl::StatusOr<Value> OverTheirMean(Composition& c, Value norms, int64_t bits, int64_t epsilon) {
  const int64_t most = c.shape(norms)[1] << bits;  // below 2^61
  ASSIGN_OR_RETURN(const Value sum,
                   c.Apply(Opcode::kReduce, {norms},
                           ReduceAttrs{.kind = ReduceKind::kSum, .axes = {1}, .keepdims = true}));
  ASSIGN_OR_RETURN(const Value divisor, Plus(c, sum, epsilon));
  ASSIGN_OR_RETURN(const Value dividend, Times(c, norms, most));
  ASSIGN_OR_RETURN(const Value ratio,
                   c.Apply(Opcode::kDivide, {dividend, divisor}, DivideAttrs{Rounding::kHalfUp}));
  return Within(c, ratio, {0, most});  // changes nothing: no norm exceeds their sum
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerGlobalResponseNorm(Composition& c, std::span<const Value> operands,
                                                           const Attributes& attributes) {
  const auto attrs = Unpack<GlobalResponseNormAttrs>(attributes);
  const Shape x = c.shape(operands[0]);
  if (x.rank() < 3) return Meaningless(absl::StrCat("x ", x.ToString(), " has no channels or no places"));
  for (const Value list : operands.subspan(1)) {
    if (c.constant(list) == nullptr || c.shape(list) != *Shape::Create({x[1]})) {
      return Meaningless(
          absl::StrCat(c.shape(list).ToString(), " is not a constant list for ", x[1], " channels"));
    }
  }
  Dims channels(x.rank() - 1, 1);
  channels[0] = x[1];
  ASSIGN_OR_RETURN(const Value v, Plus(c, operands[0], -attrs.zero_in));
  ASSIGN_OR_RETURN(const Value norms, Norms(c, v, attrs.guard));
  ASSIGN_OR_RETURN(const Value ratio, OverTheirMean(c, norms, attrs.bits, attrs.epsilon));
  ASSIGN_OR_RETURN(const Value m, Reshape(c, operands[1], channels));
  ASSIGN_OR_RETURN(const Value share, c.Apply(Opcode::kBroadcastMul, {ratio, m}));
  ASSIGN_OR_RETURN(const Value gain, Plus(c, share, attrs.residual));
  ASSIGN_OR_RETURN(const Value product, c.Apply(Opcode::kBroadcastMul, {v, gain}));
  const Dims ones(x[1], 1), shifts(x[1], attrs.shift);
  return One(c.Apply(Opcode::kRescale,
                     {product, c.Constant({x[1]}, ones), operands[2], c.Constant({x[1]}, shifts)},
                     RescaleAttrs{.axis = 1, .zero_out = attrs.zero_out, .lo = attrs.lo, .hi = attrs.hi}));
}

}  // namespace tally
