#pragma once

#include "ops/linear/sums_cuda.h"

namespace tally::cuda {

std::optional<Work> PrepareDeformableConv2d(const KernelFacts& facts);

}  // namespace tally::cuda
