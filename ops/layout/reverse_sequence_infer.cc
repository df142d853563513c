#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/layout/attrs.h"
#include "ops/layout/labels.h"
#include "ops/layout/rules.h"

namespace tally {

absl::Status InferReverseSequence(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &lengths = c.shape(1);
  const auto attrs = c.attrs<ReverseSequenceAttrs>();
  ASSIGN_OR_RETURN(const int batch, NormalizeAxis(attrs.batch_axis, x.rank(), label::reverse_sequence_c1));
  ASSIGN_OR_RETURN(const int sequence, NormalizeAxis(attrs.seq_axis, x.rank(), label::reverse_sequence_c1));
  if (batch == sequence) {
    return MakeError(label::reverse_sequence_c2, absl::StrCat("axis ", batch, " is both batch and sequence"));
  }
  if (lengths.rank() != 1 || lengths[0] != x[batch]) {
    return MakeError(label::reverse_sequence_c3,
                     absl::StrCat("lengths is ", lengths.ToString(), " for a batch of ", x[batch]));
  }
  return out->AddResult(c, x, c.interval(0));
}

}  // namespace tally
