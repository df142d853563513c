// Steps for convolutions and products of matrices on block kernels.
#pragma once

#include <optional>

#include "vm/engines/cpu/program_builder.h"
#include "vm/engines/fusion.h"

namespace tally::cpu {

// Instruction `step` as a weighted sum that block kernels compute, or nothing if it is none.
std::optional<SumForm> FindSum(const ProgramBuilder& builder, size_t step);

// Adds the steps of `chain`, whose sum FindSum finds, and sets the value that its last instruction defines.
void AddSums(ProgramBuilder& builder, const SumChain& chain);

// Whether the step writes an image channels last, row by row, wherever its rows shall lie: into longer ones, or into bands.
bool CanJoin(const ProgramBuilder& builder, const SumChain& chain);

}  // namespace tally::cpu
