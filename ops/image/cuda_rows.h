#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareResample(const KernelFacts& facts);
std::optional<Work> PrepareCropResize(const KernelFacts& facts);
std::optional<Work> PrepareGridSample(const KernelFacts& facts);

}  // namespace tally::cuda
