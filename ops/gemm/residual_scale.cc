#include "ops/gemm/residual_scale.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/wide.h"

namespace tally {

void SplitResidual(const Interval& y, const Interval& r, ResidualScale& residual) {
  constexpr Interval kI16 = RangeOf(Storage::kI16);
  constexpr Interval kI32 = RangeOf(Storage::kI32);
  if (!kI16.Contains(y) || !kI16.Contains(r)) return;
  const int64_t y_most = std::max(y.hi, -y.lo), r_most = std::max(r.hi, -r.lo);
  const auto most = [&](int64_t ym, int64_t rm, int64_t add) {
    return Int128{y_most * std::abs(ym)} + r_most * std::abs(rm) + std::abs(add);
  };
  if (kI16.Contains({residual.y_multiplier, residual.y_multiplier}) &&
      kI16.Contains({residual.r_multiplier, residual.r_multiplier}) && residual.shift < 32 &&
      most(residual.y_multiplier, residual.r_multiplier, residual.addend) <= kI32.hi) {
    residual.sum = ResidualScale::Sum::kPairs;
    residual.last_shift = residual.shift;
    residual.y_low = static_cast<int16_t>(residual.y_multiplier);
    residual.r_low = static_cast<int16_t>(residual.r_multiplier);
    residual.addend_low = static_cast<int32_t>(residual.addend);
    return;
  }
  // Shifts shorter than 16 are lifted, everything else with them.
  const int lift = std::max(0, 16 - residual.shift);
  const int64_t y_multiplier = residual.y_multiplier * (int64_t{1} << lift);
  const int64_t r_multiplier = residual.r_multiplier * (int64_t{1} << lift);
  if (std::abs(residual.addend) > std::numeric_limits<int64_t>::max() >> lift) return;
  const int64_t addend = residual.addend * (int64_t{1} << lift);
  const int shift = residual.shift + lift;
  const auto low = [](int64_t m) { return static_cast<int64_t>(static_cast<int16_t>(m & 0xffff)); };
  const auto high = [&](int64_t m) { return (m - low(m)) >> 16; };
  const int64_t y_high = high(y_multiplier), r_high = high(r_multiplier);
  const int64_t addend_low = addend & 0xffff, addend_high = addend >> 16;
  if (shift > 47) return;
  if (!kI16.Contains({y_high, y_high}) || !kI16.Contains({r_high, r_high}) || std::abs(addend_high) > kI32.hi)
    return;
  const int64_t y_low = low(y_multiplier), r_low = low(r_multiplier);
  constexpr int64_t kMost = kI32.hi - (1 << 16);  // a carry joins the sum of the high halves
  if (most(y_high, r_high, addend_high) > kMost || most(y_low, r_low, addend_low) > kMost) return;
  residual.sum = ResidualScale::Sum::kHalves;
  residual.last_shift = shift - 16;
  residual.y_high = static_cast<int16_t>(y_high);
  residual.y_low = static_cast<int16_t>(y_low);
  residual.r_high = static_cast<int16_t>(r_high);
  residual.r_low = static_cast<int16_t>(r_low);
  residual.addend_high = static_cast<int32_t>(addend_high);
  residual.addend_low = static_cast<int32_t>(addend_low);
}

}  // namespace tally
