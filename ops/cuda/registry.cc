#include "ops/cuda/registry.h"

#include <utility>

#include "ops/cuda/all_kernels.h"
#include "ops/cuda/proportion.h"
#include "ops/join_tables.h"

namespace tally::cuda {

std::span<const KernelEntry> AllKernels() {
  static const auto& all = *new std::vector(JoinTables(kKernelsOfFamilies));
  return all;
}

std::optional<SelectedKernel> SelectKernel(const KernelFacts& facts, Arch arch) {
  for (const KernelEntry& entry : AllKernels()) {
    if (entry.op != facts.op || entry.arch > arch) continue;
    if (facts.layout != Layout::kRowMajor && entry.layouts != Layouts::kEvery) continue;
    auto work = entry.prepare(facts);
    if (work && InProportion(*work, facts)) return SelectedKernel{&entry, *std::move(work)};
  }
  return std::nullopt;
}

}  // namespace tally::cuda
