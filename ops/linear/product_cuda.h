// Products of matrices as launches.
#pragma once

#include <optional>

#include "ops/linear/sums_cuda.h"

namespace tally::cuda {

// One thread for each result, any storage.
std::optional<Work> DirectProductWork(const KernelFacts& facts, const SumsFusion& fusion);

// On the matrix unit, where both sides fit bytes and leading axes are the same or b's are missing.
std::optional<Work> BytesProductWork(const KernelFacts& facts, const SumsFusion& fusion, Tiling tiling);

}  // namespace tally::cuda
