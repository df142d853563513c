#pragma once

#include "ops/comparison/comparison_device.h"
#include "ops/cuda/prepare_map.h"

namespace tally::cuda {

std::optional<Work> PrepareGreater(const KernelFacts& facts);
std::optional<Work> PrepareCompare(const KernelFacts& facts);
std::optional<Work> PrepareWhere(const KernelFacts& facts);

}  // namespace tally::cuda
