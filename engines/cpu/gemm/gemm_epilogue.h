// The accumulator init and the epilogue of GEMM steps.
#pragma once

#include <span>
#include <vector>

#include "engines/compile/fusion_groups.h"
#include "engines/cpu/gemm/gemm_step.h"
#include "engines/cpu/program/operand_formats.h"

namespace tally::cpu {

// The accumulator init of each column: the operator's own bias and that of the fusion group.
std::vector<int64_t> AccumulatorInitOf(const FunctionView& function, const FusionGroup& fused,
                                       int64_t columns);

// `weights`: of the groups, or empty when they are known only in a run. Their accumulator init joins the
// scale where that fits, and is then cleared.
EpilogueSpec EpilogueOf(const FusionGroup& fused, int64_t columns, Storage storage, int64_t depth,
                        const OperandFormats& formats, std::span<PackedWeights> weights);

// The residual, the last operand of the operation, in place of which y may be written where nothing else
// reads that: a block reads its part of the residual before it stores its part of y.
ValueRef ResidualOf(StepBuilder& builder);

// The K-blocks of 64-bit accumulation and its init: `first` where weights are packed in a run.
void AddS64Accumulation(const OperandFormats& formats, const MicroKernel& kernel,
                        std::span<const int64_t> first, GemmSpec& spec);

}  // namespace tally::cpu
