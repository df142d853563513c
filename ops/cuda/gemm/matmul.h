// Products of matrices as launches.
#pragma once

#include <optional>

#include "ops/cuda/gemm/gemm.h"

namespace tally::cuda {

// One thread for each result, any storage.
std::optional<Work> DirectProductWork(const KernelFacts& facts, const GemmFusion& fusion);

// Where both sides fit bytes, in one limb or two, and leading axes are the same or b's are missing. Sums are
// modulo 2^32, or exact in 64 bits.
std::optional<Work> ByteGemmWork(const KernelFacts& facts, const GemmFusion& fusion, const GemmChoice& choice,
                                 bool is_s64);

}  // namespace tally::cuda
