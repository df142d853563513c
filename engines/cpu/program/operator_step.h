// A step that runs one operator: a kernel of its family, or its reference.
#pragma once

#include <memory>
#include <vector>

#include "engines/compile/operator_call.h"
#include "engines/cpu/program/program.h"
#include "ops/cpu/registry.h"
#include "vm/valid_module.h"

namespace tally::cpu {

// `scratch`: as much for each part as the kernel was prepared with, or -1.
std::unique_ptr<Step> MakeKernelStep(SelectedKernel kernel, OperatorCall call, int parts, BufferId scratch);

// Functions that the operator names run as `programs`, in the working memory `scratch` after which the
// operator's own begins at `own_offset`. One part.
std::unique_ptr<Step> MakeReferenceStep(OperatorCall call, const ValidModule& module,
                                        const std::vector<Program>* programs, BufferId scratch,
                                        int64_t own_offset);

// Runs every step, one part after another. Parameters are in place.
void RunSerially(const Frame& frame) noexcept;

}  // namespace tally::cpu
