#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

// Up to 2^14 steps and 4 GiB of products with the inputs.
std::optional<Work> PrepareRnn(const KernelFacts& facts);
std::optional<Work> PrepareLstm(const KernelFacts& facts);
std::optional<Work> PrepareGru(const KernelFacts& facts);

}  // namespace tally::cuda
