// The engine for serving: kernels for this processor, over programs that are compiled once for a plan.
#pragma once

#include <memory>

#include "base/cpu_flags.h"
#include "vm/lower_operators.h"
#include "vm/plan.h"

namespace tally {

// `lowered`: of `module`; plans of one module may share it. `flags` cap what kernels may use; results are the same for any.
// `threads` >= 1.
std::unique_ptr<const Plan> MakeCpuPlan(std::shared_ptr<const ValidModule> module,
                                        std::shared_ptr<const ModuleForKernels> lowered, CpuFlags flags,
                                        int threads);
inline std::unique_ptr<const Plan> MakeCpuPlan(const std::shared_ptr<const ValidModule>& module,
                                               CpuFlags flags, int threads) {
  return MakeCpuPlan(module, std::make_shared<const ModuleForKernels>(LowerForKernels(module)), flags,
                     threads);
}

}  // namespace tally
