// Tensors in NumPy files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/npy.h"
#include "base/tensor.h"
#include "ops/tensor_type.h"
#include "quant/graph/tensor.h"
#include "vm/module.h"

namespace tally::cli {

// An integer array (i1, i2, i4, i8 or u1) as a tensor of the same values. Errors: npy_*, input_type (float
// elements), and those of Shape::Create.
absl::StatusOr<Tensor> ReadTensor(const std::string& path);

// An array for a parameter: integers as ReadTensor, floats on the grid that `info` says. Errors: also input_type, for floats
// that are not finite or where there is no grid, and input_shape.
absl::StatusOr<Tensor> ReadInput(const std::string& path, const ValueInfo& info, const TensorType& type);

// `tensor` as .npy bytes in its own storage.
absl::StatusOr<std::vector<uint8_t>> ToNpy(const Tensor& tensor);

// Reals as .npy bytes of float32.
absl::StatusOr<std::vector<uint8_t>> ToFloatNpy(const tally::Shape& shape, std::span<const double> reals);

// A float32 array [samples, ...] cut into its samples, each with shape `sample_shape`. Errors: npy_*,
// samples_type, samples_shape.
absl::StatusOr<std::vector<quant::FloatTensor>> ReadSamples(const std::string& path,
                                                            const quant::Shape& sample_shape);

}  // namespace tally::cli
