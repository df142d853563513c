// Launches that hash a tensor where it is.
#pragma once

#include "base/shape.h"
#include "base/storage.h"
#include "ops/cuda/launch.h"

namespace tally::cuda {

// Operand 0: the bytes of a tensor of this shape, row-major. Result 0: 32 bytes, its TensorRoot
// (base/hash/tensor_leaves.h). Of a value that is channels last, `shape` is the PhysicalShape.
Work TensorRootWork(Storage storage, const Shape& shape);

}  // namespace tally::cuda
