// Steps for convolutions that are pooled as they are computed.
#pragma once

#include <optional>
#include <vector>

#include "engines/compile/fusion_groups.h"
#include "engines/cpu/gemm/gemm.h"
#include "engines/cpu/program/step_builder.h"

namespace tally::cpu {

// The max_pool that alone reads the result of `fused`, whose result is an image with no residual, where that
// is worth a step of both. `uses`: CountUses.
std::optional<size_t> FindPool(const FunctionView& function, const PlanContext& context,
                               const FusionGroup& fused, const std::vector<int>& uses);

// Adds that step and sets the value that the pool defines. `gemm`: of the fusion group; its y has no buffer.
void AddPooledConvolution(StepBuilder& builder, size_t pool, GemmSpec gemm);

}  // namespace tally::cpu
