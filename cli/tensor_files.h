// Tensors in NumPy files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/io/npy.h"
#include "base/tensor.h"

namespace tally::cli {

// An integer array (i1, i2, i4, i8 or u1) as a tensor of the same values. Errors: npy_*, input_type (float
// elements), and those of Shape::Create.
absl::StatusOr<Tensor> ReadTensor(const std::string& path);

// The shape of `count` tensors in one: along the first dimension, where that is 1, or a new one. Errors:
// those of Shape::Create.
absl::StatusOr<tally::Shape> StackedShape(const tally::Shape& shape, size_t count);

// Reals as .npy bytes of float32.
absl::StatusOr<std::vector<uint8_t>> ToFloatNpy(const tally::Shape& shape, std::span<const double> reals);

}  // namespace tally::cli
