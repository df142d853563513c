#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareSort(const KernelFacts& facts);
std::optional<Work> PrepareArgSort(const KernelFacts& facts);
std::optional<Work> PrepareTopK(const KernelFacts& facts);
std::optional<Work> PrepareUnique(const KernelFacts& facts);

}  // namespace tally::cuda
