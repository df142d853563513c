#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

// For q, k and v of at most 16 bits whose sums fit 32.
template <Arch arch>
std::optional<Work> PrepareAttentionOnMatrixUnit(const KernelFacts& facts);

// One thread for each logit and for each mean, any storage.
std::optional<Work> PrepareAttention(const KernelFacts& facts);

}  // namespace tally::cuda
