#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareMaxPool2d(const KernelFacts& facts);
std::optional<Work> PrepareMaxPool(const KernelFacts& facts);
std::optional<Work> PrepareMaxPoolIndices(const KernelFacts& facts);
std::optional<Work> PrepareWindowSum(const KernelFacts& facts);
std::optional<Work> PrepareAveragePool(const KernelFacts& facts);
std::optional<Work> PrepareRoiMaxPool(const KernelFacts& facts);
std::optional<Work> PrepareRoiAlign(const KernelFacts& facts);
std::optional<Work> PreparePsroiPool(const KernelFacts& facts);
std::optional<Work> PrepareDeformablePsroiPool(const KernelFacts& facts);

}  // namespace tally::cuda
