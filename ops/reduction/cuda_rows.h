#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareCvmSum(const KernelFacts& facts);
std::optional<Work> PrepareCvmMax(const KernelFacts& facts);
std::optional<Work> PrepareReduce(const KernelFacts& facts);
std::optional<Work> PrepareArgExtreme(const KernelFacts& facts);
std::optional<Work> PrepareCumulativeSum(const KernelFacts& facts);

}  // namespace tally::cuda
