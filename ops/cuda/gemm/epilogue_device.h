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

struct Epilogue {
  Storage storage;  // y's
  bool scaled;      // by Column::scale
  // y = clamp((y * y_multiplier + r * r_multiplier + addend) >> shift, lo, hi)
  bool has_residual;
  Storage residual_storage;
  int32_t y_multiplier, r_multiplier, shift;
  int64_t addend, lo, hi;
  bool has_table;  // for 256 bytes, y -128 first
};

// The Memory of every GEMM kernel.
struct GemmMemory {
  static constexpr int kX = 0, kWeights = 1, kColumns = 2, kY = 3, kTaps = 4, kResidual = 5, kTable = 6,
                       kInit = 7;
};

// The value at element `index` of y and of the residual.
TALLY_DEVICE int64_t EpilogueValue(const Epilogue& e, const Memory& m, const Column& column, int64_t sum,
                                   int64_t index) {
  int64_t y = e.scaled ? Rescale<int64_t>(sum, column.scale) : sum;
  if (e.has_residual) {
    const int64_t r = Load(e.residual_storage, m.at[GemmMemory::kResidual], index);
    y = (y * e.y_multiplier + r * e.r_multiplier + e.addend) >> e.shift;
    y = y < e.lo ? e.lo : y > e.hi ? e.hi : y;
  }
  return e.has_table ? m.as<int8_t>(GemmMemory::kTable)[y + 128] : y;
}
TALLY_DEVICE void ApplyEpilogue(const Epilogue& e, const Memory& m, const Column& column, int64_t sum,
                                int64_t index) {
  Store(e.storage, m.at[GemmMemory::kY], index, EpilogueValue(e, m, column, sum, index));
}

}  // namespace tally::cuda
