#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/layout/attrs.h"
#include "ops/layout/labels.h"
#include "ops/layout/rules.h"

namespace tally {

absl::Status InferBroadcastTo(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  const Dims dims = c.attrs<BroadcastToAttrs>().shape;
  ASSIGN_OR_RETURN(const Dims both, BroadcastDims(x.dims(), dims, label::broadcast_to_c1));
  if (both != dims) {
    return MakeError(label::broadcast_to_c1,
                     absl::StrCat(x.ToString(), " does not become [", absl::StrJoin(dims, ","), "]"));
  }
  return out->AddResult(c, dims, c.interval(0));
}

}  // namespace tally
