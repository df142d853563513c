// Tensors of a run as arrays of NumPy.
//
//   ASSIGN_OR_RETURN(const NpyArray array, DecodeNpy(file));
//   ASSIGN_OR_RETURN(const Tensor tensor, TensorFromNpy(array));
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/io/npy.h"
#include "base/tensor.h"

namespace tally {

// The same integers; those without a sign in the next wider storage. Errors: npy_type (floats, or integers
// from 2^63 on), and those of Shape::Create.
absl::StatusOr<Tensor> TensorFromNpy(const NpyArray& array);

// `tensor` as .npy bytes in its own storage.
absl::StatusOr<std::vector<uint8_t>> NpyOf(const TensorView& tensor);

}  // namespace tally
