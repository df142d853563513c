// Sums of products modulo 2^64.
#pragma once

#include <cstdint>
#include <span>

#include "base/tensor.h"

namespace tally {

// sum over i of data[first + i * step] * factors[i]
uint64_t Dot(const TensorView& data, int64_t first, int64_t step, std::span<const uint64_t> factors);

// sums[i] += (data[first + i * step] + offset) * factor, for i < count
void AddScaled(const TensorView& data, int64_t first, int64_t step, int64_t count, int64_t offset,
               uint64_t factor, uint64_t* sums);

}  // namespace tally
