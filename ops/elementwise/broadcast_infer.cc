#include <algorithm>

#include "base/status_macros.h"
#include "ops/elementwise/labels.h"
#include "ops/elementwise/rules.h"
#include "ops/infer.h"

namespace tally {
absl::Status InferBroadcastAdd(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), label::broadcast_add_c1));
  return out->AddResult(c, shape, WideInterval(c.interval(0)) + c.interval(1));
}

absl::Status InferBroadcastSub(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), label::broadcast_sub_c1));
  return out->AddResult(c, shape, WideInterval(c.interval(0)) - c.interval(1));
}

absl::Status InferBroadcastMul(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), label::broadcast_mul_c1));
  return out->AddResult(c, shape, WideInterval(c.interval(0)) * c.interval(1));
}

absl::Status InferBroadcastMax(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), label::broadcast_max_c1));
  const Interval &a = c.interval(0), &b = c.interval(1);
  return out->AddResult(c, shape, {std::max(a.lo, b.lo), std::max(a.hi, b.hi)});
}

absl::Status InferBroadcastMin(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), label::broadcast_min_c1));
  const Interval &a = c.interval(0), &b = c.interval(1);
  return out->AddResult(c, shape, {std::min(a.lo, b.lo), std::min(a.hi, b.hi)});
}

std::vector<int> PrecisionOfProduct(const PrecisionContext& c) { return {c.operand(0) + c.operand(1)}; }

}  // namespace tally
