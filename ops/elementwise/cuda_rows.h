#pragma once

#include "ops/cuda/prepare_map.h"
#include "ops/elementwise/elementwise_device.h"

namespace tally::cuda {

std::optional<Work> PrepareClip(const KernelFacts& facts);
std::optional<Work> PrepareClz(const KernelFacts& facts);
std::optional<Work> PrepareSqrt(const KernelFacts& facts);
std::optional<Work> PrepareBroadcastDiv(const KernelFacts& facts);
std::optional<Work> PrepareDivide(const KernelFacts& facts);
std::optional<Work> PrepareModulo(const KernelFacts& facts);
std::optional<Work> PrepareShiftRight(const KernelFacts& facts);

}  // namespace tally::cuda
