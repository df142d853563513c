#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/linear/attrs.h"
#include "ops/linear/labels.h"
#include "ops/linear/linear_bounds.h"

namespace tally {
namespace {

// Positions of a dilated kernel along `axis` of x, or an error when it does not fit.
absl::StatusOr<int64_t> Positions(const InferContext& c, const Conv2dAttrs& attrs, int axis) {
  const int i = axis - 2;
  const int64_t padded = c.shape(0)[axis] + 2 * attrs.padding[i];
  const int64_t extent = attrs.dilation[i] * (c.shape(1)[axis] - 1) + 1;
  if (extent > padded) {  // conv2d_c4
    return MakeError(label::conv2d_c4, absl::StrCat("the kernel spans ", extent, " of ", padded,
                                                    " padded positions of axis ", axis));
  }
  return (padded - extent) / attrs.stride[i] + 1;
}

absl::StatusOr<Shape> ResultShape(const InferContext& c, const Conv2dAttrs& attrs) {
  const Shape &x = c.shape(0), &w = c.shape(1);
  if (x.rank() != 4 || w.rank() != 4) {  // conv2d_c1
    return MakeError(label::conv2d_c1,
                     absl::StrCat("x ", x.ToString(), " and w ", w.ToString(), " are not both 4-D"));
  }
  if (x[1] % attrs.groups != 0 || w[0] % attrs.groups != 0) {  // conv2d_c2
    return MakeError(label::conv2d_c2,
                     absl::StrCat(attrs.groups, " groups do not divide ", x[1], " and ", w[0], " channels"));
  }
  if (w[1] != x[1] / attrs.groups) {  // conv2d_c3
    return MakeError(label::conv2d_c3, absl::StrCat("weight shape ", w.ToString(), " does not read ",
                                                    x[1] / attrs.groups, " channels of each group"));
  }
  ASSIGN_OR_RETURN(const int64_t height, Positions(c, attrs, 2));
  ASSIGN_OR_RETURN(const int64_t width, Positions(c, attrs, 3));
  if (c.num_operands() == 3 && (c.shape(2).rank() != 1 || c.shape(2)[0] != w[0])) {  // conv2d_c5
    return MakeError(label::conv2d_c5,
                     absl::StrCat("bias shape ", c.shape(2).ToString(), " is not [", w[0], "]"));
  }
  RETURN_IF_ERROR(CheckCvmFactors(c, label::conv2d_c6));
  return Shape::Create({x[0], w[0], height, width});
}

}  // namespace

absl::Status InferConv2d(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<Conv2dAttrs>();
  ASSIGN_OR_RETURN(const Shape shape, ResultShape(c, attrs));
  const bool padded = attrs.padding[0] > 0 || attrs.padding[1] > 0;
  // Padding always drops terms, those of the first window; a dropped term is 0.
  const Interval x = padded ? c.interval(0).Hull({0, 0}) : c.interval(0);
  return AddLinearResult(c, shape, WeightedSums(c, x), out);
}

}  // namespace tally
