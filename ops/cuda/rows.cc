#include "ops/cuda/rows.h"

#include <utility>

#include "ops/cuda/all_device_headers.h"
#include "ops/cuda/prepare_map.h"

namespace tally::cuda {

// A row without its function is a link error that names it.
#define TALLY_CUDA_ROW(Op, name, layouts, prepare) std::optional<Work> prepare(const KernelFacts& facts);
#define TALLY_CUDA_MAP_ROW(Op, name, Function)
#include "ops/cuda/all_cuda_rows.inc"
#undef TALLY_CUDA_ROW
#undef TALLY_CUDA_MAP_ROW

namespace {

constexpr Row kRows[] = {
#define TALLY_CUDA_ROW(Op, name, layouts, prepare) Row{Opcode::k##Op, name, Layouts::layouts, prepare},
// A function without state of one element of each operand.
#define TALLY_CUDA_MAP_ROW(Op, name, Function) \
  Row{Opcode::k##Op, name, Layouts::kEvery, PrepareMap<KernelId::k##Function, Function##Fn>},
#include "ops/cuda/all_cuda_rows.inc"
#undef TALLY_CUDA_ROW
#undef TALLY_CUDA_MAP_ROW
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
