#include "ops/gemm/column_scale.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace tally {
namespace {

ColumnScale ScaleOf(const RescaleParams& p, int64_t init, const Int128& most_sum) {
  ColumnScale scale = {
      .multiplier = p.multiplier,
      .addend = Int128{p.bias} + Int128{init - p.zero_in} * p.multiplier + (Int128{p.zero_out} << p.shift),
      .shift = p.shift,
      .most = 0};
  if (p.rounding == Rounding::kHalfUp && p.shift > 0) scale.addend += Int128{1} << (p.shift - 1);
  scale.most = most_sum * std::abs(scale.multiplier) + (scale.addend < 0 ? -scale.addend : scale.addend);
  return scale;
}

}  // namespace

std::optional<std::vector<ColumnScale>> ColumnScalesOf(std::span<const RescaleParams> params, int64_t columns,
                                                       const Interval& acc, std::span<const int64_t> init) {
  const Int128 most_sum = std::max(Int128{acc.hi}, -Int128{acc.lo});
  std::vector<ColumnScale> scales;
  for (int64_t n = 0; n < columns; ++n) {
    const RescaleParams& p = params[params.size() == 1 ? 0 : n];
    if (p.rounding != Rounding::kFloor && p.rounding != Rounding::kHalfUp) return std::nullopt;
    scales.push_back(ScaleOf(p, init.empty() ? 0 : init[n], most_sum));
    if (scales.back().most > std::numeric_limits<int64_t>::max()) return std::nullopt;
  }
  return scales;
}

}  // namespace tally
