// The kernels of the cpu engine, one row each, gathered from ops/<family>/kernels.inc.
//
//   const KernelRow* row = SelectKernel(facts, DetectCpuFlags());
//   if (row != nullptr) row->run(call);  // else the reference of the operator
#pragma once

#include <span>

#include "ops/kernel.h"

namespace tally {

// Those of one operator are adjacent, best first.
std::span<const KernelRow> AllKernels();

// The best row of facts.op and facts.layout that `flags` allow and that accepts the call; null when there is none.
// A pure function, so what another machine would run can be asked here.
const KernelRow* SelectKernel(const KernelFacts& facts, CpuFlags flags);

}  // namespace tally
