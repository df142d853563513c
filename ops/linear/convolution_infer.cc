#include <array>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/linear/attrs.h"
#include "ops/linear/labels.h"
#include "ops/linear/linear_bounds.h"

namespace tally {
namespace {

absl::StatusOr<Windows> CheckedWindows(const InferContext& c, const ConvolutionAttrs& attrs) {
  const Shape &x = c.shape(0), &w = c.shape(1);
  if (x.rank() < 3 || x.rank() > 2 + kMaxSpatialAxes || w.rank() != x.rank()) {  // convolution_c1
    return MakeError(label::convolution_c1, absl::StrCat("x ", x.ToString(), " and w ", w.ToString(),
                                                         " do not both have 1, 2 or 3 spatial axes"));
  }
  if (!HasWindowsOf(attrs, static_cast<size_t>(x.rank()) - 2)) {  // convolution_c2
    return MakeError(label::convolution_c2,
                     absl::StrCat("lists without an entry for each of ", x.rank() - 2, " spatial axes"));
  }
  if (x[1] % attrs.groups != 0 || w[0] % attrs.groups != 0) {  // convolution_c3
    return MakeError(label::convolution_c3,
                     absl::StrCat(attrs.groups, " groups do not divide ", x[1], " and ", w[0], " channels"));
  }
  if (w[1] != x[1] / attrs.groups) {  // convolution_c4
    return MakeError(label::convolution_c4, absl::StrCat("weight shape ", w.ToString(), " does not read ",
                                                         x[1] / attrs.groups, " channels of each group"));
  }
  return WindowsOf(attrs, w.dims().subspan(2), x.rank());
}

absl::StatusOr<Dims> ResultDims(const InferContext& c, const Windows& windows) {
  const Shape &x = c.shape(0), &w = c.shape(1);
  Dims dims = {x[0], w[0]};
  for (int axis = 2; axis < x.rank(); ++axis) {
    dims.push_back(CountWindows(windows[axis], x[axis], false));
    if (dims.back() < 1) {  // convolution_c5
      return MakeError(label::convolution_c5,
                       absl::StrCat("the kernel spans ", windows[axis].extent(), " positions of axis ", axis,
                                    ", more than ", x[axis], " and the padding"));
    }
  }
  if (c.num_operands() == 3 && (c.shape(2).rank() != 1 || c.shape(2)[0] != w[0])) {  // convolution_c6
    return MakeError(label::convolution_c6,
                     absl::StrCat("bias shape ", c.shape(2).ToString(), " is not [", w[0], "]"));
  }
  return dims;
}

}  // namespace

absl::Status InferConvolution(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<ConvolutionAttrs>();
  ASSIGN_OR_RETURN(const Windows windows, CheckedWindows(c, attrs));
  ASSIGN_OR_RETURN(const Dims dims, ResultDims(c, windows));
  RETURN_IF_ERROR(CheckZero(c, 0, attrs.zero_x, label::convolution_c7));
  RETURN_IF_ERROR(CheckZero(c, 1, attrs.zero_w, label::convolution_c7));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  WideInterval x = WideInterval(c.interval(0)) - WideInterval(attrs.zero_x, attrs.zero_x);
  if (IsPadded(windows)) x = x.Hull({0, 0});  // padding drops terms, and a dropped term is 0
  LinearTerms sums = WeightedSums(c, x);
  sums.zero = attrs.zero_w;
  return AddLinearResult(c, shape, sums, out);
}

}  // namespace tally
