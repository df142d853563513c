// The epilogue of a GEMM on a device: a rescale, a residual, a table.
#pragma once

#include "base/rescale.h"
#include "ops/cuda/elements.h"

namespace tally::cuda {

// The parameters of a column of the result: of an output channel of a convolution, of a column of a product.
struct Column {
  int64_t init;  // the accumulator's
  RescaleParams scale;
};

// The data for a column whose results the tiles of matrix kernels store as words or bytes.
struct alignas(16) PackedColumn {
  uint32_t init;
  int32_t multiplier, shift;
};

// How tiles store y (ops/cuda/gemm/store_device.h).
enum class StoreForm : uint8_t {
  kAny,
  kWords,  // sums as they are, in pairs of neighbours
  kBytes,  // rescaled from PackedColumns to bytes, then as Epilogue says; 8 neighbours
};

struct Epilogue {
  Storage storage;  // y's
  bool scaled;      // by Column::scale
  // y = clamp((y * y_multiplier + r * r_multiplier + addend) >> shift, lo, hi)
  bool has_residual;
  Storage residual_storage;
  int32_t y_multiplier, r_multiplier, shift;
  int64_t addend, lo, hi;
  bool has_table;  // for 256 bytes, y -128 first
  StoreForm form;
  int32_t zero_out, least, greatest;  // kBytes: of every column's rescale
};

// The Memory of every GEMM kernel.
struct GemmMemory {
  static constexpr int kX = 0, kWeights = 1, kColumns = 2, kY = 3, kTaps = 4, kResidual = 5, kTable = 6,
                       kInit = 7, kPackedColumns = 8;
};

TALLY_DEVICE int64_t WithResidual(const Epilogue& e, int64_t y, int64_t r) {
  y = (y * e.y_multiplier + r * e.r_multiplier + e.addend) >> e.shift;
  return y < e.lo ? e.lo : y > e.hi ? e.hi : y;
}

// The value at element `index` of y and of the residual.
TALLY_DEVICE int64_t EpilogueValue(const Epilogue& e, const Memory& m, const Column& column, int64_t sum,
                                   int64_t index) {
  int64_t y = e.scaled ? Rescale<int64_t>(sum, column.scale) : sum;
  if (e.has_residual) {
    y = WithResidual(e, y, Load(e.residual_storage, m.at[GemmMemory::kResidual], index));
  }
  return e.has_table ? m.as<int8_t>(GemmMemory::kTable)[y + 128] : y;
}
TALLY_DEVICE void ApplyEpilogue(const Epilogue& e, const Memory& m, const Column& column, int64_t sum,
                                int64_t index) {
  Store(e.storage, m.at[GemmMemory::kY], index, EpilogueValue(e, m, column, sum, index));
}

}  // namespace tally::cuda
