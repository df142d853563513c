// Shared by the control operators: which arguments a function takes.
#pragma once

#include <span>

#include "absl/status/status.h"
#include "base/error.h"
#include "ops/infer.h"

namespace tally {

// Error `label` when `argument` has another shape than `param`, or is not in its interval.
absl::Status CheckArgument(const TensorType& argument, const TensorType& param, Label label);

// The same for as many arguments as parameters; error `count_label` when there are more or fewer.
absl::Status CheckArguments(std::span<const TensorType> arguments, std::span<const TensorType> params,
                            Label count_label, Label label);

}  // namespace tally
