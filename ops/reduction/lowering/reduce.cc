// CVM's sum and max as instances of reduce, and reductions of another function of x.
#include "base/int_math.h"
#include "ops/common/compose.h"
#include "ops/comparison/attrs.h"
#include "ops/elementwise/attrs.h"
#include "ops/lowerings.h"
#include "ops/reduction/lowering/attrs.h"
#include "ops/reduction/reduce_shape.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

absl::StatusOr<Value> Reduce(Composition& c, ReduceKind kind, Value x, const ReduceAxesAttrs& attrs) {
  return c.Apply(Opcode::kReduce, {x},
                 ReduceAttrs{.kind = kind, .axes = attrs.axes, .keepdims = attrs.keepdims});
}

// An empty list means every axis to reduce, so that no axis at all is a reshape; and complete results are
// [1].
absl::StatusOr<std::vector<Value>> CvmReduce(Composition& c, ReduceKind kind, Value x,
                                             const Attributes& attributes) {
  const auto attrs = Unpack<CvmReduceAttrs>(attributes);
  const int rank = c.shape(x).rank();
  RETURN_IF_ERROR(AxesOf(attrs.axis, rank).status());
  const AxisSet set = AxesToReduce(attrs, rank);
  if (set == 0 && rank > 0) return One(Reshape(c, x, DimsOf(c.shape(x))));
  ReduceAxesAttrs reduced = {.keepdims = attrs.keepdims};
  for (int axis = 0; axis < rank; ++axis) {
    if ((set >> axis & 1) != 0) reduced.axes.push_back(axis);
  }
  ASSIGN_OR_RETURN(const Value y, Reduce(c, kind, x, reduced));
  const bool complete = set == AllAxes(rank) && !attrs.keepdims;
  return One(complete ? Reshape(c, y, {1}) : absl::StatusOr<Value>(y));
}

absl::StatusOr<Value> SumOfSquares(Composition& c, Value x, const Attributes& attributes) {
  ASSIGN_OR_RETURN(const Value square, c.Apply(Opcode::kPower, {x, c.Constant({}, {2})}));
  return Reduce(c, ReduceKind::kSum, square, Unpack<ReduceAxesAttrs>(attributes));
}

absl::StatusOr<std::vector<Value>> ReduceTruths(Composition& c, ReduceKind kind, Value x,
                                                const Attributes& attributes) {
  ASSIGN_OR_RETURN(const Value truth,
                   c.Apply(Opcode::kCompare, {x, c.Constant({}, {0})}, CompareAttrs{Comparison::kNotEqual}));
  return One(Reduce(c, kind, truth, Unpack<ReduceAxesAttrs>(attributes)));
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerSum(Composition& c, std::span<const Value> operands,
                                            const Attributes& attributes) {
  return CvmReduce(c, ReduceKind::kSum, operands[0], attributes);
}

absl::StatusOr<std::vector<Value>> LowerMax(Composition& c, std::span<const Value> operands,
                                            const Attributes& attributes) {
  return CvmReduce(c, ReduceKind::kMax, operands[0], attributes);
}

absl::StatusOr<std::vector<Value>> LowerReduceMean(Composition& c, std::span<const Value> operands,
                                                   const Attributes& attributes) {
  const auto attrs = Unpack<ReduceMeanAttrs>(attributes);
  ASSIGN_OR_RETURN(const Value sum, Reduce(c, ReduceKind::kSum, operands[0],
                                           {.axes = attrs.axes, .keepdims = attrs.keepdims}));
  const int64_t n = c.shape(operands[0]).num_elements() / c.shape(sum).num_elements();
  const Interval of_sum = c.interval(sum);
  // With m = floor((2^30 + 1) * 2^k / n) and 2^k >= n, m / 2^(30 + k) exceeds 1 / n, by at most 2^-30 of it:
  // ties move away from 0, and nothing else crosses the middle between two integers while |sum| < 2^29.
  const bool no_tie_is_lost = of_sum.Magnitude() < (uint64_t{1} << 29) && n < (int64_t{1} << 30);
  if (attrs.rounding == Rounding::kHalfAway && no_tie_is_lost) {
    const int k = BitLength(static_cast<uint64_t>(n - 1));  // 2^k >= n
    const auto m = static_cast<int64_t>(((Int128{1} << 30) + 1) * (Int128{1} << k) / n);
    const auto mean = [&](int64_t s) { return (s < 0 ? -1 : 1) * ((2 * (s < 0 ? -s : s) + n) / (2 * n)); };
    const RescaleAttrs to = {.lo = mean(of_sum.lo), .hi = mean(of_sum.hi), .rounding = Rounding::kHalfUp};
    return One(c.Apply(Opcode::kRescale,
                       {sum, c.Constant({1}, {m}), c.Constant({1}, {0}), c.Constant({1}, {30 + k})}, to));
  }
  return One(c.Apply(Opcode::kDivide, {sum, c.Constant({}, {n})}, DivideAttrs{attrs.rounding}));
}

absl::StatusOr<std::vector<Value>> LowerReduceL1(Composition& c, std::span<const Value> operands,
                                                 const Attributes& attributes) {
  ASSIGN_OR_RETURN(const Value magnitude, c.Apply(Opcode::kAbs, {operands[0]}));
  return One(Reduce(c, ReduceKind::kSum, magnitude, Unpack<ReduceAxesAttrs>(attributes)));
}

absl::StatusOr<std::vector<Value>> LowerReduceL2(Composition& c, std::span<const Value> operands,
                                                 const Attributes& attributes) {
  ASSIGN_OR_RETURN(const Value sum, SumOfSquares(c, operands[0], attributes));
  return One(c.Apply(Opcode::kSqrt, {sum}, SqrtAttrs{RootRounding::kNearest}));
}

absl::StatusOr<std::vector<Value>> LowerReduceSumSquare(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  return One(SumOfSquares(c, operands[0], attributes));
}

absl::StatusOr<std::vector<Value>> LowerReduceAnd(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  return ReduceTruths(c, ReduceKind::kMin, operands[0], attributes);
}

absl::StatusOr<std::vector<Value>> LowerReduceOr(Composition& c, std::span<const Value> operands,
                                                 const Attributes& attributes) {
  return ReduceTruths(c, ReduceKind::kMax, operands[0], attributes);
}

}  // namespace tally
