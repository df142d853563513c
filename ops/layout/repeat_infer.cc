#include <algorithm>
#include <limits>
#include <vector>

#include "base/status_macros.h"
#include "ops/infer.h"
#include "ops/layout/attrs.h"
#include "ops/layout/labels.h"
#include "ops/layout/rules.h"

namespace tally {

// A dim times `repeats` or an entry of `reps`, all below 2^31, needs no check before Shape::Create judges it.
static_assert(kMaxDim <= std::numeric_limits<int32_t>::max());

absl::Status InferRepeat(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  const RepeatAttrs attrs = c.attrs<RepeatAttrs>();
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis, x.rank(), label::repeat_c1));
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims[axis] *= attrs.repeats;
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return out->AddResult(c, shape, c.interval(0));
}

absl::Status InferTile(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  const std::vector<int64_t> reps = c.attrs<TileAttrs>().reps;
  std::vector<int64_t> dims(std::max<size_t>(x.rank(), reps.size()), 1);
  std::copy(x.dims().begin(), x.dims().end(), dims.end() - x.rank());
  for (size_t i = 0; i < reps.size(); ++i) dims[dims.size() - reps.size() + i] *= reps[i];
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return out->AddResult(c, shape, c.interval(0));
}

WideGas GasRepetition(const GasContext& c) { return SatAdd(512, GasPerResult<44>(c)); }

}  // namespace tally
