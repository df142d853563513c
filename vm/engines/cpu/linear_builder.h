// Steps for convolutions and products of matrices on block kernels.
#pragma once

#include "vm/engines/cpu/fusion.h"
#include "vm/engines/cpu/program_builder.h"

namespace tally::cpu {

// Whether instruction `step` is a weighted sum that block kernels compute, and which axis of its result has the
// channels; -1 if it is not.
int ChannelAxis(const ProgramBuilder& builder, size_t step);

// Adds the steps of `chain`, whose sum ChannelAxis accepts, and sets the value that its last instruction defines.
void AddSums(ProgramBuilder& builder, const SumChain& chain);

// Whether the step may write its result channels last into longer rows.
bool CanJoin(const ProgramBuilder& builder, const SumChain& chain);

}  // namespace tally::cpu
