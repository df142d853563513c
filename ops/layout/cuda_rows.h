#pragma once

#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

std::optional<Work> PrepareTranspose(const KernelFacts& facts);
std::optional<Work> PrepareConcatenate(const KernelFacts& facts);
std::optional<Work> PrepareRepeat(const KernelFacts& facts);
std::optional<Work> PrepareTile(const KernelFacts& facts);
std::optional<Work> PrepareStridedSlice(const KernelFacts& facts);
std::optional<Work> PrepareSliceLike(const KernelFacts& facts);
std::optional<Work> PreparePad(const KernelFacts& facts);
std::optional<Work> PrepareBroadcastTo(const KernelFacts& facts);
std::optional<Work> PrepareReverseSequence(const KernelFacts& facts);
std::optional<Work> PrepareIota(const KernelFacts& facts);
std::optional<Work> PrepareFill(const KernelFacts& facts);

}  // namespace tally::cuda
