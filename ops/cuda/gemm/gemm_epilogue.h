// The epilogue of a GEMM launch, which all GEMM kernels share.
#pragma once

#include <vector>

#include "ops/cuda/gemm/epilogue_device.h"
#include "ops/cuda/gemm/gemm.h"

namespace tally::cuda {

// `init`: of the accumulators of each column.
inline std::vector<Column> ColumnsOf(const GemmFusion& fusion, const std::vector<int64_t>& init) {
  std::vector<Column> columns(init.size());
  for (size_t n = 0; n < init.size(); ++n) {
    columns[n].init = init[n];
    if (!fusion.scale.empty()) columns[n].scale = fusion.scale[fusion.scale.size() == 1 ? 0 : n];
  }
  return columns;
}

inline Epilogue EpilogueOf(const GemmFusion& fusion) {
  const ResidualScale r = fusion.residual.value_or(ResidualScale());
  return {.storage = fusion.y.storage(),
          .scaled = !fusion.scale.empty(),
          .has_residual = fusion.residual.has_value(),
          .residual_storage = r.storage,
          .y_multiplier = r.y_multiplier,
          .r_multiplier = r.r_multiplier,
          .shift = r.shift,
          .addend = r.addend,
          .lo = r.lo,
          .hi = r.hi,
          .has_table = !fusion.table.empty()};
}

// As GemmMemory numbers them; what a launch does not read is any of its memory.
struct GemmRefs {
  Ref x, weights, columns, taps, init;
};
inline std::vector<Ref> MemoryOf(const GemmRefs& refs, const KernelFacts& facts, const GemmFusion& fusion,
                                 Work& work) {
  const Ref y = ResultAt(0);
  const Ref residual = fusion.residual ? OperandAt(static_cast<int>(facts.operands.size())) : y;
  const Ref table = fusion.table.empty() ? y : work.AddConstant(fusion.table);
  return {refs.x, refs.weights, refs.columns, y, refs.taps, residual, table, refs.init};
}

}  // namespace tally::cuda
