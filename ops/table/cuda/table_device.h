// Tables for devices.
#pragma once

#include "ops/common/binade.h"
#include "ops/common/requantize.h"
#include "ops/cuda/elements.h"

namespace tally::cuda {

struct TableParams {
  int64_t count;
  int64_t offset, last;  // x reads entry clamp(x - offset, 0, last)
  Storage x, table, y;
};

// Memory: x, the table, the result. One thread for each element.
TALLY_DEVICE void LookUp(const Thread& t, const Memory& m, const TableParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t index = Load(p.x, m.at[0], i) - p.offset;
  Store(p.y, m.at[2], i, Load(p.table, m.at[1], index < 0 ? 0 : index < p.last ? index : p.last));
}

struct NormalizedTableParams {
  int64_t count;
  bool product;  // for both functions, or else their sum
  Requantization requantization;
  Storage x, mantissas, exponents, y;
};

// Memory: x, a table over positions, one over exponents, the result. One thread for each element.
TALLY_DEVICE void NormalizedTable(const Thread& t, const Memory& m, const NormalizedTableParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const Binade<int64_t> binade(Load(p.x, m.at[0], i));
  const int64_t mantissa = binade.Interpolate(StoredList{p.mantissas, m.at[1]});
  const int64_t exponent = Load(p.exponents, m.at[2], binade.exponent);
  const int64_t exact = p.product ? WrapMul(mantissa, exponent) : WrapAdd(mantissa, exponent);
  Store(p.y, m.at[3], i, Requantize<int64_t>(exact, p.requantization));
}

}  // namespace tally::cuda
