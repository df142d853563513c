#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/layout/attrs.h"
#include "ops/layout/rules.h"

namespace tally {

absl::Status InferBroadcastTo(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(c.attrs<BroadcastToAttrs>().shape));
  ASSIGN_OR_RETURN(const Shape both, BroadcastShape(x, shape, "broadcast_to_c1"));
  if (both != shape) {
    return MakeError("broadcast_to_c1", absl::StrCat(x.ToString(), " does not become ", shape.ToString()));
  }
  return out->AddResult(c, shape, c.interval(0));
}

}  // namespace tally
