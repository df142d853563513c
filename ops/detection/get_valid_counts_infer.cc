#include <algorithm>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/detection/labels.h"
#include "ops/detection/rules.h"
#include "ops/infer.h"

namespace tally {

absl::Status InferGetValidCounts(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  if (x.rank() != 3) {  // get_valid_counts_c1
    return MakeError(label::get_valid_counts_c1, absl::StrCat("x ", x.ToString(), " is not [B, N, K]"));
  }
  if (x[2] < 2 || x[2] > 32) {  // get_valid_counts_c2
    return MakeError(label::get_valid_counts_c2,
                     absl::StrCat("rows of ", x[2], " elements, outside [2, 32]"));
  }
  ASSIGN_OR_RETURN(const Shape counts, Shape::Create({x[0]}));
  RETURN_IF_ERROR(out->AddResult(c, counts, Interval{0, x[1]}));
  return out->AddResult(c, x, c.interval(0).Hull({-1, -1}));
}

WideGas GasGetValidCounts(const GasContext& c) {
  const Shape& x = c.operands[0].shape;
  return SatMul(x[0], SatAdd(48, SatMul(24, x[1])));
}

std::vector<int> PrecisionOfGetValidCounts(const PrecisionContext& c) {
  const Shape& x = c.infer->shape(0);
  return {BitLength(static_cast<uint64_t>(x[1] * x[2] + 1)) + 1, std::max(c.operand(0), 2)};
}

}  // namespace tally
