#include "ops/cuda/registry.h"

#include <utility>

#include "ops/cuda/all_device_headers.h"
#include "ops/cuda/prepare_map.h"
#include "ops/cuda/proportion.h"

namespace tally::cuda {

// An entry without its function is a link error that names it.
#define TALLY_CUDA_ENTRY_FOR(arch, Op, name, layouts, prepare) \
  std::optional<Work> prepare(const KernelFacts& facts);
#define TALLY_CUDA_ENTRY(...) TALLY_CUDA_ENTRY_FOR(kSm80, __VA_ARGS__)
#define TALLY_CUDA_MAP_ENTRY(Op, name, Function)
#include "ops/cuda/all_op_kernels.inc"
#undef TALLY_CUDA_ENTRY_FOR
#undef TALLY_CUDA_ENTRY
#undef TALLY_CUDA_MAP_ENTRY

namespace {

constexpr KernelEntry kEntries[] = {
#define TALLY_CUDA_ENTRY_FOR(arch, Op, name, layouts, prepare) \
  KernelEntry{Opcode::k##Op, name, Arch::arch, Layouts::layouts, prepare},
#define TALLY_CUDA_ENTRY(...) TALLY_CUDA_ENTRY_FOR(kSm80, __VA_ARGS__)
// A function without state of one element of each operand.
#define TALLY_CUDA_MAP_ENTRY(Op, name, Function)                 \
  KernelEntry{Opcode::k##Op, name, Arch::kSm80, Layouts::kEvery, \
              PrepareMap<KernelId::k##Function, Function##Fn>},
#include "ops/cuda/all_op_kernels.inc"
#undef TALLY_CUDA_ENTRY_FOR
#undef TALLY_CUDA_ENTRY
#undef TALLY_CUDA_MAP_ENTRY
};

}  // namespace

std::span<const KernelEntry> AllKernelEntries() { return kEntries; }

std::optional<Prepared> Prepare(const KernelFacts& facts, Arch arch) {
  for (const KernelEntry& entry : kEntries) {
    if (entry.op != facts.op || entry.arch > arch) continue;
    if (facts.layout != Layout::kRowMajor && entry.layouts != Layouts::kEvery) continue;
    auto work = entry.prepare(facts);
    if (work && InProportion(*work, facts)) return Prepared{&entry, *std::move(work)};
  }
  return std::nullopt;
}

}  // namespace tally::cuda
