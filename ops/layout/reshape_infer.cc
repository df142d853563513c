// Operators that keep the elements and their order and change only the shape.
#include <vector>

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/layout/attrs.h"
#include "ops/layout/labels.h"
#include "ops/layout/rules.h"

namespace tally {

static_assert(kMaxRank == 8, "the ranges of axes and the lengths of lists in attrs.h");

absl::Status InferReshape(const InferContext& c, Inferred* out) {
  const ReshapeAttrs attrs = c.attrs<ReshapeAttrs>();
  Int128 elements = 1;
  for (const int64_t dim : attrs.shape) elements = SatMul(elements, dim);
  if (elements != c.shape(0).num_elements()) {
    return MakeError(label::reshape_c1,
                     absl::StrCat("shape [", absl::StrJoin(attrs.shape, ","),
                                  "] does not hold the elements of ", c.shape(0).ToString()));
  }
  return out->AddResult(c, attrs.shape, c.interval(0));
}

absl::Status InferFlatten(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  if (x.rank() == 0) return MakeError(label::flatten_c1, "a scalar has no first axis to keep");
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create({x[0], x.stride(0)}));
  return out->AddResult(c, shape, c.interval(0));
}

absl::Status InferExpandDims(const InferContext& c, Inferred* out) {
  const ExpandDimsAttrs attrs = c.attrs<ExpandDimsAttrs>();
  // The new axes start at any of the rank + 1 places between and around the old ones.
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis, c.shape(0).rank() + 1, label::expand_dims_c1));
  std::vector<int64_t> dims(c.shape(0).dims().begin(), c.shape(0).dims().end());
  dims.insert(dims.begin() + axis, attrs.num_newaxis, 1);
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return out->AddResult(c, shape, c.interval(0));
}

absl::Status InferSqueeze(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  const std::vector<int64_t> listed = c.attrs<SqueezeAttrs>().axis;
  std::vector<bool> removed(x.rank(), false);
  for (const int64_t entry : listed) {
    ASSIGN_OR_RETURN(const int axis, NormalizeAxis(entry, x.rank(), label::squeeze_c1));
    if (x[axis] != 1) {
      return MakeError(label::squeeze_c2, absl::StrCat("axis ", axis, " of ", x.ToString(), " is not 1"));
    }
    removed[axis] = true;
  }
  std::vector<int64_t> dims;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool remove = listed.empty() ? x[axis] == 1 : removed[axis];
    if (!remove) dims.push_back(x[axis]);
  }
  if (dims.empty()) dims.push_back(1);
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return out->AddResult(c, shape, c.interval(0));
}

}  // namespace tally
