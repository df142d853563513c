// Rewrites a module so that only operators with kernels of their own remain.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "vm/valid_module.h"

namespace tally {

// The same functions in profile core, each operator that has a lowering (ops/lowerings.h) replaced by it: equal
// parameters, equal results for every input, as many functions and results and of the same types. What a plan of kernels starts
// from; gas and memory stay those of `module`. Errors: what refuses an instruction of a lowering.
absl::StatusOr<Module> LowerOperators(const ValidModule& module);

// `module` with only operators that have kernels, or itself when there is nothing to lower or no room to.
std::shared_ptr<const ValidModule> LoweredForKernels(std::shared_ptr<const ValidModule> module);

}  // namespace tally
