#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/image/attrs.h"
#include "ops/image/labels.h"
#include "ops/image/rules.h"
#include "ops/infer.h"

namespace tally {

absl::Status InferUpsampling(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  const int64_t scale = c.attrs<UpsamplingAttrs>().scale;
  if (x.rank() != 4)
    return MakeError(label::upsampling_c1, absl::StrCat(x.ToString(), " is not [N, C, H, W]"));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create({x[0], x[1], x[2] * scale, x[3] * scale}));  // below 2^43
  return out->AddResult(c, shape, c.interval(0));
}

}  // namespace tally
