// The values that somebody gives for a parameter of a module, as the tensor that engines take.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "base/tensor.h"
#include "ops/tensor_type.h"
#include "vm/module.h"

namespace tally::quant {

// Integers, one for each element of `type`. Beyond the type's interval they keep their values, which the
// engine refuses.
tally::Tensor GivenIntegers(std::span<const int64_t> values, const TensorType& type);

// Reals, one for each element of `type`, on the grid of the parameter. Error `refusal`: the parameter has no
// grid, or a real is not finite.
absl::StatusOr<tally::Tensor> GivenReals(std::span<const float> reals, const ValueInfo& info,
                                         const TensorType& type, Label refusal);

}  // namespace tally::quant
