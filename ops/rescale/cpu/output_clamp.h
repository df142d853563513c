// Shared by the kernels of this family.
#pragma once

#include "ops/cpu/map_chunks.h"
#include "ops/rescale/cpu/rescale_loops.h"

namespace tally {

template <typename Attrs>
OutputClamp OutputClampOf(const Attrs& attrs) {
  return {attrs.lo - attrs.zero_out, attrs.hi - attrs.zero_out, attrs.zero_out};
}

// Half a unit of what a shift keeps: what half-up adds.
inline int64_t HalfOf(int64_t shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }

// Whether clamping the 32-bit high word of a sum clamps the sum: a bound on the far side of i32 would not be
// seen.
inline bool BoundsMeetI32(const OutputClamp& output) {
  constexpr Interval kI32 = RangeOf(Storage::kI32);
  return output.lo <= kI32.hi && output.hi >= kI32.lo;
}

inline int64_t WrapMulAdd(int64_t a, int64_t b, int64_t c) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) + static_cast<uint64_t>(c));
}

}  // namespace tally
