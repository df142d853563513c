// The engine for serving: kernels for this processor, over programs that are compiled once for a plan.
#pragma once

#include <memory>

#include "base/cpu_flags.h"
#include "vm/plan.h"

namespace tally {

// `flags` cap what kernels may use; results are the same for any. `threads` >= 1.
std::unique_ptr<const Plan> MakeCpuPlan(std::shared_ptr<const ValidModule> module, CpuFlags flags,
                                        int threads);

}  // namespace tally
