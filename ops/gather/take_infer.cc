#include <vector>

#include "base/status_macros.h"
#include "ops/gather/attrs.h"
#include "ops/gather/labels.h"
#include "ops/gather/rules.h"
#include "ops/infer.h"

namespace tally {

absl::Status InferTake(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &indices = c.shape(1);
  const TakeAttrs attrs = c.attrs<TakeAttrs>();
  if (attrs.axis.empty()) return out->AddResult(c, indices, c.interval(0));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis[0], x.rank(), label::take_c1));
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, indices.dims().begin(), indices.dims().end());
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return out->AddResult(c, shape, c.interval(0));
}

}  // namespace tally
