#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/layout/attrs.h"
#include "ops/layout/labels.h"
#include "ops/layout/rules.h"

namespace tally {

absl::Status InferConcatenate(const InferContext& c, Inferred* out) {
  const Shape& first = c.shape(0);
  ASSIGN_OR_RETURN(const int axis,
                   NormalizeAxis(c.attrs<ConcatenateAttrs>().axis, first.rank(), label::concatenate_c1));
  std::vector<int64_t> dims(first.dims().begin(), first.dims().end());
  WideInterval bounds = c.interval(0);
  for (int k = 1; k < c.num_operands(); ++k) {
    const Shape& next = c.shape(k);
    if (next.rank() != first.rank()) {
      return MakeError(label::concatenate_c2, absl::StrCat("operand ", k, " has rank ", next.rank(),
                                                           ", operand 0 has ", first.rank()));
    }
    for (int j = 0; j < first.rank(); ++j) {
      if (j != axis && next[j] != first[j]) {
        return MakeError(label::concatenate_c3,
                         absl::StrCat("operand ", k, " is ", next.ToString(), " and operand 0 is ",
                                      first.ToString(), ": they differ on axis ", j));
      }
    }
    dims[axis] += next[axis];  // at most kMaxOperands times kMaxDim
    bounds = bounds.Hull(c.interval(k));
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return out->AddResult(c, shape, bounds);
}

WideGas GasConcatenate(const GasContext& c) {
  return SatAdd(SatMul(320, static_cast<int64_t>(c.operands.size())), GasPerResult<20>(c));
}

}  // namespace tally
