// How a result and a residual are scaled, added and clamped, on every engine.
//
//   y = clamp((y * y_multiplier + residual * r_multiplier + addend) >> shift)
#pragma once

#include <cstdint>

#include "base/interval.h"
#include "base/storage.h"

namespace tally {

struct ResidualScale {
  // How vectors compute it; each form is for the values of the one after it, too.
  enum class Sum : uint8_t {
    kPairs,   // y * y_low + residual * r_low + addend_low fits 32 bits, every factor 16
    kHalves,  // as below
    kAny,
  };
  Storage storage = Storage::kI8;  // kI8 or kI16: the residual's
  Sum sum = Sum::kAny;
  int32_t y_multiplier = 0;
  int32_t r_multiplier = 0;
  int32_t shift = 0;
  int32_t lo = 0;
  int32_t hi = 0;
  int64_t addend = 0;

  // With multipliers m = high 2^16 + low, |low| <= 2^15, and the addend alike, low >= 0, floor(sum / 2^shift)
  // is (high sum + floor(low sum / 2^16)) >> (shift - 16): two products of pairs of 16 bits, for y and
  // residual of 16 bits, shift >= 16 and accumulators that fit 32 bits. A shorter shift is made 16
  // beforehand, m and the addend with it.
  int16_t y_high = 0, y_low = 0, r_high = 0, r_low = 0;
  int32_t addend_high = 0, addend_low = 0;
  int32_t last_shift = 0;  // shift - 16; shift of kPairs
};

// Chooses the form of `residual`, for y within `y` and a residual within `r`, and fills in what it reads.
void SplitResidual(const Interval& y, const Interval& r, ResidualScale& residual);

}  // namespace tally
