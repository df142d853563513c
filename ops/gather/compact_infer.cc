#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/gather/attrs.h"
#include "ops/gather/labels.h"
#include "ops/gather/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

// How many slices a mask of n entries may keep.
Interval KeptSlices(const InferContext& c, int64_t n) {
  if (const TensorView* mask = c.constant(1)) {
    int64_t kept = 0;
    for (int64_t i = 0; i < n; ++i) kept += mask->at(i) != 0 ? 1 : 0;
    return {kept, kept};
  }
  if (!c.interval(1).Contains(0)) return {n, n};
  if (c.interval(1) == Interval{0, 0}) return {0, 0};
  return {0, n};
}

}  // namespace

absl::Status InferCompact(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &mask = c.shape(1);
  const auto attrs = c.attrs<CompactAttrs>();
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis, x.rank(), label::compact_c1));
  if (mask.rank() != 1 || mask[0] != x[axis]) {
    return MakeError(label::compact_c2,
                     absl::StrCat("mask is ", mask.ToString(), " for an axis of ", x[axis], " slices"));
  }
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims[axis] = attrs.bound;
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  const Interval kept = KeptSlices(c, mask[0]), value = {attrs.value, attrs.value};
  out->scratch_bytes = mask[0] * 8;  // the positions that it keeps
  Interval bounds = c.interval(0);
  if (kept.lo < attrs.bound) bounds = kept.hi == 0 ? value : bounds.Hull(value);
  RETURN_IF_ERROR(out->AddResult(c, shape, bounds));
  return out->AddResult(c, Shape(), kept);
}

}  // namespace tally
