#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareRescale(const KernelFacts& facts);
std::optional<Work> PrepareLincomb(const KernelFacts& facts);
std::optional<Work> PrepareMulshift(const KernelFacts& facts);
std::optional<Work> PrepareCvmClip(const KernelFacts& facts);
std::optional<Work> PrepareCvmRightShift(const KernelFacts& facts);
std::optional<Work> PrepareCvmLeftShift(const KernelFacts& facts);

}  // namespace tally::cuda
