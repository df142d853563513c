// The kernels of the cpu engine, one entry each, gathered from ops/<family>/cpu/kernels.inc.
//
//   const KernelEntry* entry = SelectKernel(facts, DetectCpuFlags());
//   if (entry != nullptr) entry->run(call);  // else the reference of the operator
#pragma once

#include <span>

#include "ops/kernel.h"

namespace tally {

// Those of one operator are adjacent, best first.
std::span<const KernelEntry> AllKernels();

// The best row of facts.op and facts.layout that `flags` allow and that accepts the call; null when there is none.
// A pure function, so what another machine would run can be asked here.
const KernelEntry* SelectKernel(const KernelFacts& facts, CpuFlags flags);

}  // namespace tally
