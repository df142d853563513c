#include "ops/cuda/rows.h"

#include <utility>

#include "ops/cuda/all_device_headers.h"
#include "ops/cuda/prepare_map.h"
#include "ops/cuda/proportion.h"

namespace tally::cuda {

// A row without its function is a link error that names it.
#define TALLY_CUDA_ROW_OF(arch, Op, name, layouts, prepare) \
  std::optional<Work> prepare(const KernelFacts& facts);
#define TALLY_CUDA_ROW(...) TALLY_CUDA_ROW_OF(kSm80, __VA_ARGS__)
#define TALLY_CUDA_MAP_ROW(Op, name, Function)
#include "ops/cuda/all_cuda_rows.inc"
#undef TALLY_CUDA_ROW_OF
#undef TALLY_CUDA_ROW
#undef TALLY_CUDA_MAP_ROW

namespace {

constexpr Row kRows[] = {
#define TALLY_CUDA_ROW_OF(arch, Op, name, layouts, prepare) \
  Row{Opcode::k##Op, name, Arch::arch, Layouts::layouts, prepare},
#define TALLY_CUDA_ROW(...) TALLY_CUDA_ROW_OF(kSm80, __VA_ARGS__)
// A function without state of one element of each operand.
#define TALLY_CUDA_MAP_ROW(Op, name, Function) \
  Row{Opcode::k##Op, name, Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::k##Function, Function##Fn>},
#include "ops/cuda/all_cuda_rows.inc"
#undef TALLY_CUDA_ROW_OF
#undef TALLY_CUDA_ROW
#undef TALLY_CUDA_MAP_ROW
};

}  // namespace

std::span<const Row> AllRows() { return kRows; }

std::optional<Prepared> Prepare(const KernelFacts& facts, Arch arch) {
  for (const Row& row : kRows) {
    if (row.op != facts.op || row.arch > arch) continue;
    if (facts.layout != Layout::kRowMajor && row.layouts != Layouts::kEvery) continue;
    auto work = row.prepare(facts);
    if (work && InProportion(*work, facts)) return Prepared{&row, *std::move(work)};
  }
  return std::nullopt;
}

}  // namespace tally::cuda
