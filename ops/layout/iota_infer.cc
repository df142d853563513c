// Tensors that come from their attributes alone.
#include "base/error.h"
#include "base/status_macros.h"
#include "ops/infer.h"
#include "ops/layout/attrs.h"
#include "ops/layout/labels.h"
#include "ops/layout/rules.h"

namespace tally {

absl::Status InferIota(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<IotaAttrs>();
  ASSIGN_OR_RETURN(const int axis,
                   NormalizeAxis(attrs.axis, static_cast<int>(attrs.shape.size()), label::iota_c1));
  const WideInterval first = {attrs.start, attrs.start};
  const Int128 way = Int128{attrs.step} * (attrs.shape[axis] - 1);
  return out->AddResult(c, attrs.shape, first.Hull(first + WideInterval(way, way)));
}

absl::Status InferFill(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<FillAttrs>();
  return out->AddResult(c, attrs.shape, Interval{attrs.value, attrs.value});
}

}  // namespace tally
