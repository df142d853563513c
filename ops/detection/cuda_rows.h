#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareGetValidCounts(const KernelFacts& facts);
std::optional<Work> PrepareNonMaxSuppression(const KernelFacts& facts);
std::optional<Work> PrepareNms(const KernelFacts& facts);
std::optional<Work> PrepareCtcGreedyDecoder(const KernelFacts& facts);

}  // namespace tally::cuda
