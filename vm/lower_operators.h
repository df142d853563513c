// Rewrites a module so that only operators with kernels of their own remain.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/valid_module.h"

namespace tally {

struct LoweredModule {
  // Shares the bytes of constants with the module that it comes from.
  Module module;
  // By function and by value of the module that it comes from: where the same elements are. Nowhere for constants.
  std::vector<std::vector<std::optional<ValueId>>> places;
};

// The same functions in profile core, each operator that has a lowering (ops/lowerings.h) replaced by it: equal
// parameters, equal results for every input, as many functions and results and of the same types; what instructions
// name functions stays, in order. What a plan of kernels starts from; gas and memory stay those of `module`. Errors:
// what refuses an instruction of a lowering.
absl::StatusOr<LoweredModule> LowerOperators(const ValidModule& module);

// What engines with kernels run: a module with only operators that have kernels, or the module itself when there is
// nothing to lower or no room to.
struct ModuleForKernels {
  std::shared_ptr<const ValidModule> module;
  std::vector<std::vector<std::optional<ValueId>>> places;  // as above; none where nothing was lowered
};
ModuleForKernels LowerForKernels(std::shared_ptr<const ValidModule> module);

}  // namespace tally
