#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/control/argument_bounds.h"
#include "ops/control/attrs.h"
#include "ops/control/labels.h"
#include "ops/control/rules.h"

namespace tally {

absl::Status InferIf(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<IfAttrs>();
  const FunctionSignature& on_true = c.functions[attrs.then_function];
  const FunctionSignature& on_false = c.functions[attrs.else_function];
  if (c.shape(0).num_elements() != 1) {  // if_c1
    return MakeError(label::if_c1, absl::StrCat("a condition of shape ", c.shape(0).ToString()));
  }
  for (const FunctionSignature* branch : {&on_true, &on_false}) {  // if_c2, if_c3
    RETURN_IF_ERROR(CheckArguments(c.operands.subspan(1), branch->params, label::if_c2, label::if_c3));
  }
  if (on_true.results.size() != on_false.results.size()) {  // if_c4
    return MakeError(label::if_c4, absl::StrCat("branches with ", on_true.results.size(), " and ",
                                                on_false.results.size(), " results"));
  }
  for (size_t r = 0; r < on_true.results.size(); ++r) {
    const TensorType &a = on_true.results[r], &b = on_false.results[r];
    if (a.shape != b.shape) {  // if_c5
      return MakeError(label::if_c5,
                       absl::StrCat("result ", r, " is ", a.shape.ToString(), " or ", b.shape.ToString()));
    }
  }
  for (size_t r = 0; r < on_true.results.size(); ++r) {
    const TensorType &a = on_true.results[r], &b = on_false.results[r];
    RETURN_IF_ERROR(out->AddResult(c, a.shape, a.interval.Hull(b.interval)));
  }
  out->scratch_bytes = std::max(on_true.memory_bytes, on_false.memory_bytes);
  return absl::OkStatus();
}

WideGas GasIf(const GasContext& c) {
  const auto attrs = c.attrs<IfAttrs>();
  const auto dearer = std::max(c.functions[attrs.then_function].gas, c.functions[attrs.else_function].gas);
  return SatAdd(GasOfMovedValues(c), dearer);
}

}  // namespace tally
