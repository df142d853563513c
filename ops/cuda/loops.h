// Where the elements are that meet in element i of a result: a division for each dim.
#pragma once

#include <cstdint>

#include "ops/cuda/thread.h"

namespace tally::cuda {

inline constexpr int kMaxLoops = 16;

// Dims from the outermost to the innermost, and the distance between neighbours along each in every tensor.
template <int kTensors>
struct Loops {
  int64_t count;  // product of the dims
  int rank;       // at least 1
  int64_t dims[kMaxLoops];
  int64_t strides[kTensors][kMaxLoops];

  TALLY_DEVICE void OffsetsOf(int64_t i, int64_t (&offsets)[kTensors]) const {
    for (int t = 0; t < kTensors; ++t) offsets[t] = 0;
    if (count <= INT32_MAX) {
      Divide<uint32_t>(static_cast<uint32_t>(i), offsets);
    } else {
      Divide<uint64_t>(static_cast<uint64_t>(i), offsets);
    }
  }

 private:
  template <typename Unsigned>
  TALLY_DEVICE void Divide(Unsigned i, int64_t (&offsets)[kTensors]) const {
    for (int axis = rank - 1; axis > 0; --axis) {
      const auto dim = static_cast<Unsigned>(dims[axis]);
      const Unsigned outer = i / dim;
      const auto at = static_cast<int64_t>(i - outer * dim);
      for (int t = 0; t < kTensors; ++t) offsets[t] += at * strides[t][axis];
      i = outer;
    }
    for (int t = 0; t < kTensors; ++t) offsets[t] += static_cast<int64_t>(i) * strides[t][0];
  }
};

// i % dim; i becomes i / dim. A division of 32 bits where both fit.
TALLY_DEVICE int64_t TakeDigit(int64_t& i, int64_t dim) {
  int64_t quotient;
  if (i <= INT32_MAX && dim <= INT32_MAX) {
    quotient = static_cast<uint32_t>(i) / static_cast<uint32_t>(dim);
  } else {
    quotient = i / dim;
  }
  const int64_t digit = i - quotient * dim;
  i = quotient;
  return digit;
}

}  // namespace tally::cuda
