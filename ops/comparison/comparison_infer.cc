#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/comparison/attrs.h"
#include "ops/comparison/labels.h"
#include "ops/comparison/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

struct Verdict {
  bool always;    // for every pair of the intervals
  bool possible;  // for some pair
};

Verdict Not(const Verdict& v) { return {!v.possible, !v.always}; }
Verdict Less(const Interval& a, const Interval& b) { return {a.hi < b.lo, a.lo < b.hi}; }
Verdict Equal(const Interval& a, const Interval& b) {
  return {a.lo == a.hi && a == b, a.lo <= b.hi && b.lo <= a.hi};
}

Verdict Judge(Comparison kind, const Interval& a, const Interval& b) {
  switch (kind) {
    case Comparison::kEqual: return Equal(a, b);
    case Comparison::kNotEqual: return Not(Equal(a, b));
    case Comparison::kLess: return Less(a, b);
    case Comparison::kLessEqual: return Not(Less(b, a));
    case Comparison::kGreater: return Less(b, a);
    case Comparison::kGreaterEqual: return Not(Less(a, b));
  }
  __builtin_unreachable();  // the decoder admits no other kind
}

absl::Status InferComparison(const InferContext& c, Inferred* out, Comparison kind, Label label) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), label));
  const Verdict verdict = Judge(kind, c.interval(0), c.interval(1));
  return out->AddResult(c, shape, {verdict.always ? 1 : 0, verdict.possible ? 1 : 0});
}

// Both sources, or the one that the interval of the condition leaves.
WideInterval SelectionBounds(const InferContext& c) {
  const Interval& cond = c.interval(0);
  if (!cond.Contains(0)) return c.interval(1);
  if (cond == Interval{0, 0}) return c.interval(2);
  return WideInterval(c.interval(1)).Hull(c.interval(2));
}

}  // namespace

absl::Status InferBroadcastGreater(const InferContext& c, Inferred* out) {
  return InferComparison(c, out, Comparison::kGreater, label::broadcast_greater_c1);
}

absl::Status InferCompare(const InferContext& c, Inferred* out) {
  return InferComparison(c, out, c.attrs<CompareAttrs>().kind, label::compare_c1);
}

absl::Status InferWhere(const InferContext& c, Inferred* out) {
  const Shape &cond = c.shape(0), &x = c.shape(1), &y = c.shape(2);
  if (x != y) {
    return MakeError(label::where_c1,
                     absl::StrCat("shapes ", x.ToString(), " of x and ", y.ToString(), " of y differ"));
  }
  const bool selects_rows = cond.rank() == 1 && x.rank() > 0 && cond[0] == x[0];
  if (cond != x && !selects_rows) {
    return MakeError(label::where_c2, absl::StrCat("condition ", cond.ToString(), " is neither the shape ",
                                                   x.ToString(), " nor a list of its first dimension"));
  }
  return out->AddResult(c, x, SelectionBounds(c));
}

absl::Status InferSelect(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Dims sources, BroadcastDims(c.shape(1).dims(), c.shape(2).dims(), label::select_c1));
  ASSIGN_OR_RETURN(const Dims dims, BroadcastDims(c.shape(0).dims(), sources, label::select_c1));
  return out->AddResult(c, dims, SelectionBounds(c));
}

WideGas GasSelect(const GasContext& c) { return SatAdd(640, GasPerResult<24>(c)); }

std::vector<int> PrecisionOfGreater(const PrecisionContext& c) { return {std::max(c.operand(0), 2)}; }

std::vector<int> PrecisionOfWhere(const PrecisionContext& c) {
  return {std::max(c.operand(1), c.operand(2))};
}

}  // namespace tally
