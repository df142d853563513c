// What the control operators share: passing arguments to a function, and the price of running it.
#pragma once

#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "ops/gas.h"
#include "ops/infer.h"

namespace tally {

// Beside what its instructions cost: entering and leaving a function. An instruction's own base is as much.
inline constexpr int64_t kGasPerInvocation = 512;
// Of each parameter and each result: engines may copy what is passed, an element at a time.
inline constexpr int64_t kGasPerPassedValue = 64, kGasPerPassedElement = 16;

// kGasPerInvocation, kGasPerPassedValue and kGasPerPassedElement for all that is passed, and the function's gas.
WideGas InvocationGas(const FunctionSignature& function);

// Error `label` when `argument` has another shape than `param`, or does not lie in its interval.
absl::Status CheckArgument(const TensorType& argument, const TensorType& param, std::string_view label);

// The same for as many arguments as parameters; error `count_label` when there are more or fewer.
absl::Status CheckArguments(std::span<const TensorType> arguments, std::span<const TensorType> params,
                            std::string_view count_label, std::string_view label);

}  // namespace tally
