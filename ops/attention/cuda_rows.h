#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareAttention(const KernelFacts& facts);

}  // namespace tally::cuda
