#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareSoftmax(const KernelFacts& facts);
std::optional<Work> PrepareLogSoftmax(const KernelFacts& facts);
std::optional<Work> PrepareLayerNorm(const KernelFacts& facts);
std::optional<Work> PrepareRmsNorm(const KernelFacts& facts);

}  // namespace tally::cuda
