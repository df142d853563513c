// What the steps of weighted sums start with and end with.
#pragma once

#include <span>
#include <vector>

#include "vm/engines/cpu/linear_factors.h"
#include "vm/engines/cpu/sums_step.h"
#include "vm/engines/fusion.h"

namespace tally::cpu {

// What the sum of each column starts with: the operator's own bias and that of the chain.
std::vector<int64_t> FirstSumsOf(const ProgramBuilder& builder, const SumChain& chain, int64_t columns);

// `weights`: of the groups, or empty when they are known only in a run. What their sums start with joins the scale
// where that fits, and is then cleared.
EpilogueSpec EpilogueOf(const SumChain& chain, int64_t columns, Storage storage, int64_t depth,
                        const Factors& factors, std::span<PackedWeights> weights);

// The blocks of long sums, and what these start with: `first` where weights are packed in a run.
void AddLongSums(const Factors& factors, const BlockKernel& kernel, std::span<const int64_t> first,
                 SumsSpec& spec);

// Lets y take the memory of the residual where nothing else reads that: a block reads its part of the residual before it
// stores its part of y.
void ReuseResidual(ProgramBuilder& builder, const SumChain& chain, const ValueRef& x, SumsSpec& spec);

}  // namespace tally::cpu
