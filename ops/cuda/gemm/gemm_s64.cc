#include "ops/cuda/gemm/gemm_s64.h"

#include <algorithm>

#include "ops/cuda/gemm/gemm_s64_device.h"

namespace tally::cuda {
namespace {

// The terms that weigh the same are together.
std::vector<std::vector<Term>> TermsByWeight(const GemmParams& params) {
  std::vector<std::vector<Term>> parts;
  for (int i = 0; i < params.term_count; ++i) {
    if (i == 0 || params.terms[i].scales) parts.emplace_back();
    parts.back().push_back(params.terms[i]);
    parts.back().back().scales = false;
  }
  return parts;
}

}  // namespace

bool AddS64Accumulation(Work& work, const GemmParams& params, const std::vector<Ref>& memory, int64_t groups,
                        const ColumnsOfY& columns, const GemmChoice& choice) {
  const auto parts = TermsByWeight(params);
  constexpr int64_t kMostProducts = (int64_t{1} << 17) - 1;  // for two bytes, 2^14 at most each, in 31 bits
  for (const auto& terms : parts) {
    if (std::ssize(terms) * params.taps * params.chunks * kChunk > kMostProducts) return false;
  }
  const int64_t part_bytes = columns.elements * SizeBytes(Storage::kI32);
  const Ref sums = work.AddScratch(std::ssize(parts) * part_bytes);
  const Ref no_columns = work.AddConstant(std::vector<Column>(columns.count));
  for (size_t part = 0; part < parts.size(); ++part) {
    GemmParams of_part = params;
    std::ranges::copy(parts[part], of_part.terms);
    of_part.term_count = static_cast<int>(parts[part].size());
    of_part.has_init = false;
    of_part.epilogue = {.storage = Storage::kI32};
    std::vector<Ref> part_memory = memory;
    part_memory[GemmMemory::kColumns] = no_columns;
    part_memory[GemmMemory::kY] = {sums.source, sums.index, static_cast<int64_t>(part) * part_bytes};
    if (!AddGemm(work, of_part, part_memory, groups, choice)) return false;
  }
  std::vector<Ref> last_memory = memory;
  last_memory[GemmMemory::kX] = sums;
  const CombineLimbProductsParams combine = {.count = columns.elements,
                                             .parts = static_cast<int>(parts.size()),
                                             .columns = columns.count,
                                             .column_stride = columns.stride,
                                             .has_init = params.has_init,
                                             .init_storage = params.init_storage,
                                             .epilogue = params.epilogue};
  work.Add(KernelId::kCombineLimbProducts, GridOver(combine.count), combine, last_memory);
  return true;
}

}  // namespace tally::cuda
