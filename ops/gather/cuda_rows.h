#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareTake(const KernelFacts& facts);
std::optional<Work> PrepareGather(const KernelFacts& facts);
std::optional<Work> PrepareGatherNd(const KernelFacts& facts);
std::optional<Work> PrepareGatherElements(const KernelFacts& facts);
std::optional<Work> PrepareGatherTree(const KernelFacts& facts);
std::optional<Work> PrepareScatter(const KernelFacts& facts);
std::optional<Work> PrepareScatterNd(const KernelFacts& facts);
std::optional<Work> PrepareScatterElements(const KernelFacts& facts);
std::optional<Work> PrepareCompact(const KernelFacts& facts);

}  // namespace tally::cuda
