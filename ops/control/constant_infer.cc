#include "base/error.h"
#include "base/strings.h"
#include "ops/control/attrs.h"
#include "ops/control/labels.h"
#include "ops/control/rules.h"
#include "ops/infer.h"

namespace tally {

absl::Status InferConstant(const InferContext& c, Inferred* out) {
  const int64_t index = c.attrs<ConstantAttrs>().index;
  const int64_t count = static_cast<int64_t>(c.module_constants.size());
  if (index >= count) {  // constant_c1
    return MakeError(label::constant_c1, absl::StrCat("constant ", index, " of a module that has ", count));
  }
  const Shape& shape = c.module_constants[index].shape;
  const Interval& bounds = c.module_constant_bounds[index];
  if (c.profile == Profile::kCvm) return out->AddResult(c, shape, bounds);
  // The addends of a rescale may need all of int64_t; whoever else reads the constant proves its own result.
  out->results.push_back({shape, bounds});
  return absl::OkStatus();
}

std::vector<int> PrecisionOfConstant(const PrecisionContext& c) {
  return {PrecisionOf(c.results[0].interval.Magnitude())};
}

}  // namespace tally
