#include <algorithm>
#include <optional>

#include "base/status_macros.h"
#include "ops/elementwise/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

// a / b rounded toward zero for b of one sign. The quotient is monotone in a for each b, and in b on either
// side of a = 0, so that its extremes lie at corners.
WideInterval Quotients(const Interval& a, const Interval& b) {
  const Int128 q[] = {Int128{a.lo} / b.lo, Int128{a.lo} / b.hi, Int128{a.hi} / b.lo, Int128{a.hi} / b.hi};
  return {*std::min_element(q, q + 4), *std::max_element(q, q + 4)};
}

// The parts of b on either side of 0, and 0 itself, which stands for division by zero.
WideInterval DivisionBounds(const Interval& a, const Interval& b) {
  std::optional<WideInterval> y;
  const auto join = [&](const WideInterval& part) { y = y ? y->Hull(part) : part; };
  if (b.lo < 0) join(Quotients(a, {b.lo, std::min<int64_t>(b.hi, -1)}));
  if (b.hi > 0) join(Quotients(a, {std::max<int64_t>(b.lo, 1), b.hi}));
  if (b.Contains(0)) join({0, 0});
  return *y;
}

}  // namespace

absl::Status InferBroadcastAdd(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), "broadcast_add_c1"));
  return out->AddResult(c, shape, WideInterval(c.interval(0)) + c.interval(1));
}

absl::Status InferBroadcastSub(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), "broadcast_sub_c1"));
  return out->AddResult(c, shape, WideInterval(c.interval(0)) - c.interval(1));
}

absl::Status InferBroadcastMul(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), "broadcast_mul_c1"));
  return out->AddResult(c, shape, WideInterval(c.interval(0)) * c.interval(1));
}

absl::Status InferBroadcastDiv(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), "broadcast_div_c1"));
  return out->AddResult(c, shape, DivisionBounds(c.interval(0), c.interval(1)));
}

absl::Status InferBroadcastMax(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), "broadcast_max_c1"));
  const Interval &a = c.interval(0), &b = c.interval(1);
  return out->AddResult(c, shape, {std::max(a.lo, b.lo), std::max(a.hi, b.hi)});
}

std::vector<int> PrecisionOfProduct(const PrecisionContext& c) { return {c.operand(0) + c.operand(1)}; }

}  // namespace tally
