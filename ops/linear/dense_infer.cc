#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/linear/labels.h"
#include "ops/linear/linear_bounds.h"

namespace tally {
namespace {

absl::StatusOr<Shape> ResultShape(const InferContext& c) {
  const Shape &x = c.shape(0), &w = c.shape(1);
  if (x.rank() != 2 || w.rank() != 2) {  // dense_c1
    return MakeError(label::dense_c1,
                     absl::StrCat("x ", x.ToString(), " and w ", w.ToString(), " are not both 2-D"));
  }
  if (x[1] != w[1]) {  // dense_c2
    return MakeError(label::dense_c2,
                     absl::StrCat("rows of x ", x.ToString(), " and w ", w.ToString(), " differ in length"));
  }
  if (c.num_operands() == 3 && (c.shape(2).rank() != 1 || c.shape(2)[0] != w[0])) {  // dense_c3
    return MakeError(label::dense_c3,
                     absl::StrCat("bias shape ", c.shape(2).ToString(), " is not [", w[0], "]"));
  }
  RETURN_IF_ERROR(CheckCvmFactors(c, label::dense_c4));
  return Shape::Create({x[0], w[0]});
}

}  // namespace

absl::Status InferDense(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, ResultShape(c));
  return AddLinearResult(c, shape, WeightedSums(c, c.interval(0)), out);
}

}  // namespace tally
