#include "ops/cpu/registry.h"

#include <utility>
#include <vector>

#include "ops/cpu/all_kernels.h"
#include "ops/join_tables.h"

namespace tally {

std::span<const KernelEntry> AllKernels() {
  static const auto& all = *new std::vector(JoinTables(kKernelsOfFamilies));
  return all;
}

std::optional<SelectedKernel> SelectKernel(const KernelFacts& facts, CpuFlags flags) {
  for (const KernelEntry& entry : AllKernels()) {
    if (entry.op != facts.op || entry.layout != facts.layout || !flags.HasAll(entry.flags)) continue;
    if (auto prepared = entry.prepare(facts)) return SelectedKernel{&entry, *std::move(prepared)};
  }
  return std::nullopt;
}

}  // namespace tally
