#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareCvmLut(const KernelFacts& facts);
std::optional<Work> PrepareTable(const KernelFacts& facts);
std::optional<Work> PrepareNormalizedTable(const KernelFacts& facts);

}  // namespace tally::cuda
