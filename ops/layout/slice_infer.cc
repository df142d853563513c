#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/layout/attrs.h"
#include "ops/layout/labels.h"
#include "ops/layout/rules.h"
#include "ops/layout/slice_shape.h"

namespace tally {

absl::Status InferStridedSlice(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  const StridedSliceAttrs attrs = c.attrs<StridedSliceAttrs>();
  const auto longest = std::max({std::ssize(attrs.begin), std::ssize(attrs.end), std::ssize(attrs.stride)});
  if (longest > x.rank()) {
    return MakeError(label::strided_slice_c1,
                     absl::StrCat("a list of ", longest, " entries for rank ", x.rank()));
  }
  if (std::count(attrs.stride.begin(), attrs.stride.end(), 0) > 0) {
    return MakeError(label::strided_slice_c2, "a stride is 0");
  }
  std::vector<int64_t> dims;
  for (int axis = 0; axis < x.rank(); ++axis) {
    dims.push_back(SliceOfAxis(attrs, axis, x[axis]).length);
    if (dims.back() < 1) {
      return MakeError(label::strided_slice_c3,
                       absl::StrCat("nothing is selected on axis ", axis, " of ", x.ToString()));
    }
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return out->AddResult(c, shape, c.interval(0));
}

absl::Status InferSliceLike(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &like = c.shape(1);
  std::vector<int64_t> axes = c.attrs<SliceLikeAttrs>().axis;
  if (axes.empty()) {
    if (x.rank() != like.rank()) {
      return MakeError(label::slice_like_c1, absl::StrCat("ranks ", x.rank(), " and ", like.rank(),
                                                          " differ and no axis is listed"));
    }
    for (int axis = 0; axis < x.rank(); ++axis) axes.push_back(axis);
  }
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  for (const int64_t entry : axes) {
    ASSIGN_OR_RETURN(const int axis, NormalizeAxis(entry, x.rank(), label::slice_like_c2));
    if (axis >= like.rank()) {
      return MakeError(label::slice_like_c2,
                       absl::StrCat("axis ", axis, " does not exist in ", like.ToString()));
    }
    if (like[axis] > x[axis]) {
      return MakeError(label::slice_like_c3, absl::StrCat("axis ", axis, " of ", x.ToString(),
                                                          " is shorter than that of ", like.ToString()));
    }
    dims[axis] = like[axis];
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return out->AddResult(c, shape, c.interval(0));
}

}  // namespace tally
