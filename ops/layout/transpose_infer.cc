#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/layout/labels.h"
#include "ops/layout/permutation_shape.h"
#include "ops/layout/rules.h"

namespace tally {

absl::Status InferTranspose(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  const TransposeAttrs attrs = c.attrs<TransposeAttrs>();
  if (!attrs.axes.empty() && std::ssize(attrs.axes) != x.rank()) {
    return MakeError(label::transpose_c1, absl::StrCat(attrs.axes.size(), " axes for rank ", x.rank()));
  }
  for (const int64_t axis : attrs.axes) {
    RETURN_IF_ERROR(NormalizeAxis(axis, x.rank(), label::transpose_c2).status());
  }
  const Index permutation = Permutation(attrs, x.rank());
  std::array<bool, kMaxRank> taken = {};
  std::array<int64_t, kMaxRank> dims;
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t axis = permutation[i];
    if (taken[axis]) return MakeError(label::transpose_c3, absl::StrCat("axis ", axis, " is listed twice"));
    taken[axis] = true;
    dims[i] = x[static_cast<int>(axis)];
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(std::span<const int64_t>(dims.data(), x.rank())));
  return out->AddResult(c, shape, c.interval(0));
}

}  // namespace tally
