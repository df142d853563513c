// Steps for convolutions and products of matrices on micro-kernels.
#pragma once

#include <optional>

#include "vm/engines/cpu/program_builder.h"
#include "vm/engines/fusion.h"

namespace tally::cpu {

// Instruction `step` as a GEMM that micro-kernels compute, or nothing if it is none.
std::optional<GemmForm> FindGemm(const ProgramBuilder& builder, size_t step);

// Adds the steps of `fused`, whose GEMM FindGemm finds, and sets the value that its last instruction defines.
void AddGemm(ProgramBuilder& builder, const FusionGroup& fused);

// Whether the step writes an image channels last, row by row, wherever its rows shall lie: into longer ones, or into
// bands.
bool CanWriteIntoConcat(const ProgramBuilder& builder, const FusionGroup& fused);

}  // namespace tally::cpu
