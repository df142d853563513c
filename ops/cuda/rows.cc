#include "ops/cuda/rows.h"

#include <utility>

#include "ops/cuda/all_cuda_rows.h"

namespace tally::cuda {
namespace {

constexpr Row kRows[] = {
#define TALLY_CUDA_ROW(Op, name, layouts, ...) Row{Opcode::k##Op, name, Layouts::layouts, __VA_ARGS__},
#include "ops/cuda/all_cuda_rows.inc"
#undef TALLY_CUDA_ROW
};

}  // namespace

std::span<const Row> AllRows() { return kRows; }

std::optional<Prepared> Prepare(const KernelFacts& facts) {
  for (const Row& row : kRows) {
    if (row.op != facts.op) continue;
    if (facts.layout != Layout::kRowMajor && row.layouts != Layouts::kEvery) continue;
    if (auto work = row.prepare(facts)) return Prepared{&row, *std::move(work)};
  }
  return std::nullopt;
}

}  // namespace tally::cuda
