#include "base/status_macros.h"
#include "ops/elementwise/rules.h"
#include "ops/infer.h"

namespace tally {

absl::Status InferBroadcastAdd(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), "broadcast_add_c1"));
  return out->AddResult(c, shape, WideInterval(c.interval(0)) + c.interval(1));
}

}  // namespace tally
