#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/labels.h"
#include "ops/pooling/rules.h"

namespace tally {
namespace {

// Windows along `axis`, each of which holds an element of x.
absl::StatusOr<int64_t> CountAlong(const MaxPool2dAttrs& attrs, const Shape& x, int axis) {
  const int64_t size = attrs.pool_size[axis - 2], stride = attrs.strides[axis - 2];
  const int64_t padding = attrs.padding_of(axis - 2);
  if (padding >= size) {  // max_pool2d_c2
    return MakeError(label::max_pool2d_c2, absl::StrCat("padding ", padding, " of axis ", axis,
                                                        " is not less than the window's ", size));
  }
  const int64_t slack = x[axis] + 2 * padding - size;
  if (slack < 0) {  // max_pool2d_c3
    return MakeError(label::max_pool2d_c3,
                     absl::StrCat("a window of ", size, " exceeds the ", x[axis] + 2 * padding,
                                  " padded positions of axis ", axis));
  }
  const int64_t last = attrs.ceil_mode ? CeilDiv(slack, stride) : slack / stride;
  if (last * stride - padding >= x[axis]) {  // max_pool2d_c4
    return MakeError(label::max_pool2d_c4,
                     absl::StrCat("the last window of axis ", axis, " starts at ", last * stride - padding,
                                  ", behind the ", x[axis], " elements"));
  }
  return last + 1;
}

}  // namespace

absl::Status InferMaxPool2d(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<MaxPool2dAttrs>();
  const Shape& x = c.shape(0);
  if (x.rank() != 4) {  // max_pool2d_c1
    return MakeError(label::max_pool2d_c1, absl::StrCat("x ", x.ToString(), " is not 4-D"));
  }
  ASSIGN_OR_RETURN(const int64_t height, CountAlong(attrs, x, 2));
  ASSIGN_OR_RETURN(const int64_t width, CountAlong(attrs, x, 3));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create({x[0], x[1], height, width}));
  return out->AddResult(c, shape, c.interval(0));
}

WideGas GasMaxPool2d(const GasContext& c) {
  const auto attrs = c.attrs<MaxPool2dAttrs>();
  const Int128 taps = SatMul(attrs.pool_size[0], attrs.pool_size[1]);
  return SatAdd(GasOfWindows(c, taps), SatMul(c.elements_out(0), SatAdd(SatMul(32, taps), 96)));
}

}  // namespace tally
