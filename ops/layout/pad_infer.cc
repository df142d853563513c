#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/layout/attrs.h"
#include "ops/layout/labels.h"
#include "ops/layout/rules.h"

namespace tally {

absl::Status InferPad(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  const PadAttrs attrs = c.attrs<PadAttrs>();
  if (std::ssize(attrs.before) != x.rank() || std::ssize(attrs.after) != x.rank()) {
    return MakeError(label::pad_c1, absl::StrCat("before and after have ", attrs.before.size(), " and ",
                                                 attrs.after.size(), " entries for rank ", x.rank()));
  }
  const bool constant = attrs.mode == PadMode::kConstant;
  if (!constant && attrs.value != 0) {
    return MakeError(label::pad_c2, absl::StrCat("value ", attrs.value, " appears in mode constant only"));
  }
  std::vector<int64_t> dims;
  for (int axis = 0; axis < x.rank(); ++axis) {
    dims.push_back(attrs.before[axis] + x[axis] + attrs.after[axis]);  // three numbers below 2^31
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  WideInterval bounds = c.interval(0);
  if (constant && shape != x) bounds = bounds.Hull({attrs.value, attrs.value});
  return out->AddResult(c, shape, bounds);
}

}  // namespace tally
