#include "ops/cuda/rows.h"

#include <utility>

#include "ops/cuda/all_cuda_rows.h"

namespace tally::cuda {
namespace {

constexpr Row kRows[] = {
#define TALLY_CUDA_ROW_OF(arch, Op, name, layouts, ...) \
  Row{Opcode::k##Op, name, Arch::arch, Layouts::layouts, __VA_ARGS__},
#define TALLY_CUDA_ROW(...) TALLY_CUDA_ROW_OF(kSm80, __VA_ARGS__)
#include "ops/cuda/all_cuda_rows.inc"
#undef TALLY_CUDA_ROW
#undef TALLY_CUDA_ROW_OF
};

}  // namespace

std::span<const Row> AllRows() { return kRows; }

std::optional<Prepared> Prepare(const KernelFacts& facts, Arch arch) {
  for (const Row& row : kRows) {
    if (row.op != facts.op || row.arch > arch) continue;
    if (facts.layout != Layout::kRowMajor && row.layouts != Layouts::kEvery) continue;
    if (auto work = row.prepare(facts)) return Prepared{&row, *std::move(work)};
  }
  return std::nullopt;
}

}  // namespace tally::cuda
