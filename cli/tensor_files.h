// Tensors in NumPy files.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/npy.h"
#include "base/tensor.h"
#include "quant/graph/tensor.h"

namespace tally::cli {

// An integer array (i1, i2, i4, i8 or u1) as a tensor of the same values. Errors: npy_*, input_type (float
// elements), and those of Shape::Create.
absl::StatusOr<Tensor> ReadTensor(const std::string& path);

// `tensor` as .npy bytes in its own storage.
absl::StatusOr<std::vector<uint8_t>> ToNpy(const Tensor& tensor);

// A float32 array [samples, ...] cut into its samples, each with shape `sample_shape`. Errors: npy_*,
// samples_type, samples_shape.
absl::StatusOr<std::vector<quant::FloatTensor>> ReadSamples(const std::string& path,
                                                            const quant::Shape& sample_shape);

}  // namespace tally::cli
