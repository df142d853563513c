// The epilogue of one sum, as every kernel computes it.
#pragma once

#include "ops/cpu/gemm/micro_kernel.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

[[maybe_unused]] inline int32_t Clamp(int64_t v, int32_t lo, int32_t hi) {
  return static_cast<int32_t>(v < lo ? lo : v > hi ? hi : v);
}

// The value of column `n` whose sum is `sum` and whose residual, if there is one, is at `index`.
[[maybe_unused]] inline int32_t ApplyEpilogue(const Epilogue& e, int64_t n, int32_t sum,
                                              const uint8_t* residual, int64_t index) {
  if (e.scale == Epilogue::Scale::kNone) return sum;
  const ScaleGroup& group = e.groups[n / kVectorColumns];
  const int64_t i = n % kVectorColumns;
  const int64_t addend = i % 2 == 0 ? group.addend_even[i / 2] : group.addend_odd[i / 2];
  const int shift = group.shift[i] + DroppedBits(e.scale);
  int32_t y = Clamp((int64_t{sum} * group.multiplier[i] + addend) >> shift, e.lo, e.hi);
  if (e.has_residual) {
    const ResidualScale& r = e.residual;
    const int64_t other = r.storage == Storage::kI8 ? reinterpret_cast<const int8_t*>(residual)[index]
                                                    : reinterpret_cast<const int16_t*>(residual)[index];
    y = Clamp((int64_t{y} * r.y_multiplier + other * r.r_multiplier + r.addend) >> r.shift, r.lo, r.hi);
  }
  return e.table == nullptr ? y : e.table[y + 128];
}

// `row`: where the row of y begins.
[[maybe_unused]] inline void StoreColumns(const GemmArgs& c, int64_t row, int64_t first_column, int64_t count,
                                          const int32_t* acc) {
  const Epilogue& e = *c.epilogue;
  for (int64_t n = first_column; n < c.columns && n < first_column + count; ++n) {
    const int64_t index = row + n;
    const int32_t y = ApplyEpilogue(e, n, acc[n - first_column], c.residual, index);
    switch (e.storage) {
      case Storage::kI8: reinterpret_cast<int8_t*>(c.y)[index] = static_cast<int8_t>(y); break;
      case Storage::kI16: reinterpret_cast<int16_t*>(c.y)[index] = static_cast<int16_t>(y); break;
      default: reinterpret_cast<int32_t*>(c.y)[index] = y; break;
    }
  }
}

}  // namespace
}  // namespace tally
