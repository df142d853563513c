// The view that a rule of a control operator has of a function that it names.
#pragma once

#include <cstdint>
#include <span>

#include "ops/tensor_type.h"

namespace tally {

struct FunctionSignature {
  std::span<const TensorType> params;   // as declared
  std::span<const TensorType> results;  // as proven
  int64_t gas = 0;
  int64_t memory_bytes = 0;  // its arena's, a multiple of 64
};

}  // namespace tally
