// Tensors of as many slices as their counts say.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "frontends/onnx/exact/node.h"

namespace tally::onnx {

// The first `count` slices along `axis`, at least one.
Tensor CutTo(const TensorView& padded, int axis, int64_t count);

// `x` cut to its count, where that is the same for all data; nothing where it is 0.
absl::StatusOr<MaybeExactValue> CutToKnownCount(Composition& c, const ExactValue& x);

}  // namespace tally::onnx
