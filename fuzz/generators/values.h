// Random shapes, intervals and tensors that favour edges.
#pragma once

#include "base/tensor.h"
#include "fuzz/generators/entropy_source.h"
#include "ops/tensor_type.h"

namespace tally {

// A shape of `min_rank` to `max_rank` dims and at most `max_elements` elements; dims are mostly small.
Shape RandomShape(EntropySource& e, int min_rank, int max_rank, int64_t max_elements);

// An interval within `limit`: often its ends, bytes, powers of two, one value.
Interval RandomInterval(EntropySource& e, const Interval& limit);

// A value of `interval`: often an end of it, or close to 0.
int64_t RandomValue(EntropySource& e, const Interval& interval);

// A tensor with the values of `type`, in the narrowest storage of `type`.
Tensor RandomTensor(EntropySource& e, const TensorType& type);

}  // namespace tally
