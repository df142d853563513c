#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/comparison/rules.h"
#include "ops/infer.h"

namespace tally {

absl::Status InferBroadcastGreater(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), "broadcast_greater_c1"));
  const Interval &a = c.interval(0), &b = c.interval(1);
  return out->AddResult(c, shape, {a.lo > b.hi ? 1 : 0, a.hi > b.lo ? 1 : 0});
}

absl::Status InferWhere(const InferContext& c, Inferred* out) {
  const Shape &cond = c.shape(0), &x = c.shape(1), &y = c.shape(2);
  if (x != y) {
    return MakeError("where_c1",
                     absl::StrCat("shapes ", x.ToString(), " of x and ", y.ToString(), " of y differ"));
  }
  const bool selects_rows = cond.rank() == 1 && x.rank() > 0 && cond[0] == x[0];
  if (cond != x && !selects_rows) {
    return MakeError("where_c2", absl::StrCat("condition ", cond.ToString(), " is neither the shape ",
                                              x.ToString(), " nor a list of its first dimension"));
  }
  return out->AddResult(c, x, WideInterval(c.interval(1)).Hull(c.interval(2)));
}

std::vector<int> PrecisionOfGreater(const PrecisionContext& c) { return {std::max(c.operand(0), 2)}; }

std::vector<int> PrecisionOfWhere(const PrecisionContext& c) {
  return {std::max(c.operand(1), c.operand(2))};
}

}  // namespace tally
