#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/control/argument_bounds.h"
#include "ops/control/attrs.h"
#include "ops/control/labels.h"
#include "ops/control/rules.h"

namespace tally {

absl::Status CheckArgument(const TensorType& argument, const TensorType& param, Label label) {
  if (argument.shape == param.shape && param.interval.Contains(argument.interval)) return absl::OkStatus();
  return MakeError(label, absl::StrCat(argument.ToString(), " for a parameter ", param.ToString()));
}

absl::Status CheckArguments(std::span<const TensorType> arguments, std::span<const TensorType> params,
                            Label count_label, Label label) {
  if (arguments.size() != params.size()) {
    return MakeError(count_label,
                     absl::StrCat(arguments.size(), " arguments for ", params.size(), " parameters"));
  }
  for (size_t i = 0; i < params.size(); ++i) {
    RETURN_IF_ERROR(CheckArgument(arguments[i], params[i], label));
  }
  return absl::OkStatus();
}

absl::Status InferCall(const InferContext& c, Inferred* out) {
  const FunctionSignature& function = c.functions[c.attrs<CallAttrs>().function];
  // call_c1, call_c2.
  RETURN_IF_ERROR(CheckArguments(c.operands, function.params, label::call_c1, label::call_c2));
  out->scratch_bytes = function.memory_bytes;
  for (const TensorType& result : function.results) {
    RETURN_IF_ERROR(out->AddResult(c, result.shape, result.interval));
  }
  return absl::OkStatus();
}

WideGas GasOfMovedValues(const GasContext& c) {
  return SatMul(4, SatAdd(ElementsOfOperands(c), ElementsOfResults(c)));
}

WideGas GasCall(const GasContext& c) {
  return SatAdd(GasOfMovedValues(c), c.functions[c.attrs<CallAttrs>().function].gas);
}

}  // namespace tally
