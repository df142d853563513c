// The kernels of the cpu engine, gathered from ops/<family>/cpu.
//
//   const std::optional<SelectedKernel> kernel = SelectKernel(facts, DetectCpuFlags());
//   if (kernel) kernel->Run(call);  // else the reference of the operator
#pragma once

#include <optional>
#include <span>

#include "ops/kernel.h"

namespace tally {

// Those of one operator are adjacent, best first.
std::span<const KernelEntry> AllKernels();

struct SelectedKernel {
  const KernelEntry* entry;
  PreparedKernel prepared;

  void Run(const KernelCall& call) const noexcept { entry->run(prepared.params.get(), call); }
};

// The best entry of facts.op and facts.layout that `flags` allow and that takes the call. A pure function, so
// what another machine would run can be asked here.
std::optional<SelectedKernel> SelectKernel(const KernelFacts& facts, CpuFlags flags);

}  // namespace tally
