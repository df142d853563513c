// GEMM with 64-bit results out of 32-bit accumulators: of the products of limbs that weigh the same.
#pragma once

#include "ops/cuda/gemm/epilogue_device.h"

namespace tally::cuda {

struct CombineLimbProductsParams {
  int64_t count;                   // elements of y
  int parts;                       // each weighs 256 times the next
  int64_t columns, column_stride;  // element i of y is of column i / column_stride % columns
  bool has_init;                   // in GemmMemory::kInit, besides that of the columns
  Storage init_storage;
  Epilogue epilogue;
};

// Memory as GemmMemory says; x: parts [parts, count] in i32. One thread for each element of y.
TALLY_DEVICE void CombineLimbProducts(const Thread& t, const Memory& m, const CombineLimbProductsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t n = i / p.column_stride % p.columns;
  const Column& column = m.as<Column>(GemmMemory::kColumns)[n];
  uint64_t sum = 0;
  for (int part = 0; part < p.parts; ++part) {
    sum = (sum << 8) + static_cast<uint64_t>(int64_t{m.as<int32_t>(GemmMemory::kX)[part * p.count + i]});
  }
  sum += static_cast<uint64_t>(column.init);
  if (p.has_init) sum += static_cast<uint64_t>(Load(p.init_storage, m.at[GemmMemory::kInit], n));
  ApplyEpilogue(p.epilogue, m, column, static_cast<int64_t>(sum), i);
}

}  // namespace tally::cuda
