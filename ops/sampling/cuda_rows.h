#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareRandomUniform(const KernelFacts& facts);
std::optional<Work> PrepareRandomCategorical(const KernelFacts& facts);

}  // namespace tally::cuda
