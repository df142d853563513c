// Rewrites a module so that only operators with kernels of their own remain.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/valid_module.h"

namespace tally {

struct LoweredModule {
  // Shares the bytes of constants with the original module.
  Module module;
  // By function and value of the original module: where the same elements are. Nowhere for constants.
  std::vector<std::vector<std::optional<ValueId>>> places;
};

// The same functions in profile core, each operator that has a lowering (ops/lowerings.h) replaced by it:
// equal parameters, equal results for every input, as many functions and results, of the same types;
// instructions that name functions stay, in order. A plan of kernels starts from it; gas and memory stay
// those of `module`. Errors: those of the instructions of a lowering.
absl::StatusOr<LoweredModule> LowerOperators(const ValidModule& module);

// The module that engines with kernels run: a module with only operators that have kernels, or the module
// itself when there is nothing to lower or the result would exceed a limit.
struct ModuleForKernels {
  std::shared_ptr<const ValidModule> module;
  std::vector<std::vector<std::optional<ValueId>>> places;  // as above; none where nothing was lowered
  // Why it is the module itself although there is something to lower, which then runs on references: a limit
  // that the lowered module would exceed, or lowering_failed, a fault of a lowering. A run must not be
  // refused for either, since other engines accept the module; Plan::lowering() tells it, and the law of
  // execution fails for a fault.
  absl::Status status;
};
ModuleForKernels LowerForKernels(std::shared_ptr<const ValidModule> module);
// The same once `module` has been lowered: for tests of lowerings that fail.
ModuleForKernels UseLowered(std::shared_ptr<const ValidModule> module, absl::StatusOr<LoweredModule> lowered);

}  // namespace tally
