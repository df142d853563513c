// The engine for serving: kernels for this processor, over programs that are compiled once for a plan.
#pragma once

#include <memory>

#include "base/cpu_flags.h"
#include "engines/compile/lower_operators.h"
#include "vm/plan.h"

namespace tally {

// Results are the same for any.
struct CpuPlanOptions {
  CpuFlags flags;   // instructions that kernels may use
  int threads = 1;  // at least 1
  // Layers take forms of their own, pooled as they are computed or Winograd's, also where they are too small
  // for that to pay: for tests.
  bool takes_small_layers = false;
};

// `lowered`: of `module`; plans of one module may share it.
std::unique_ptr<const Plan> MakeCpuPlan(std::shared_ptr<const ValidModule> module,
                                        std::shared_ptr<const ModuleForKernels> lowered,
                                        const CpuPlanOptions& options);
inline std::unique_ptr<const Plan> MakeCpuPlan(const std::shared_ptr<const ValidModule>& module,
                                               const CpuPlanOptions& options) {
  return MakeCpuPlan(module, std::make_shared<const ModuleForKernels>(LowerForKernels(module)), options);
}

}  // namespace tally
