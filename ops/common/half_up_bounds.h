// Proof steps of type rules whose operators end in a rounding half up.
#pragma once

#include <algorithm>

#include "base/error.h"
#include "base/rescale.h"
#include "base/strings.h"
#include "ops/infer.h"

namespace tally {

inline constexpr Int128 kInt64Max = (Int128{1} << 63) - 1;

// half up; |v| + 2^(shift - 1) must fit int64_t
inline Int128 HalfUp(Int128 v, int64_t shift) {
  return (v + (shift == 0 ? 0 : Int128{1} << (shift - 1))) >> shift;
}
inline WideInterval HalfUp(const WideInterval& v, int64_t shift) {
  return {HalfUp(v.lo, shift), HalfUp(v.hi, shift)};
}

// Whether a value of this magnitude can be rounded by 2^shift within int64_t. What is rounded has at most 62
// bits for shift > 0, so that adding a zero point of 32 bits fits too; shift = 0 leaves 2^32 for it.
inline bool CanBeRounded(Int128 magnitude, int64_t shift) {
  const Int128 room = shift == 0 ? Int128{1} << 32 : Int128{1} << (shift - 1);
  return SatAdd(magnitude, std::max(room, Int128{1} << 32)) <= kInt64Max;
}

inline WideInterval Point(Int128 v) { return {v, v}; }

// Whether all elements of constant operand i are in [lo, hi].
inline bool EntriesWithin(const InferContext& c, int i, Int128 lo, Int128 hi) {
  return WideInterval(c.entries(i)).Within(lo, hi);
}

// The result y = clamp(v + zero_out, lo, hi) in the shape of operand 0.
template <typename Attrs>
absl::Status AddPlaced(const InferContext& c, const WideInterval& v, const Attrs& attrs, Inferred* out) {
  return out->AddResult(c, c.shape(0), (v + Point(attrs.zero_out)).Clamp(attrs.lo, attrs.hi));
}

// The same of a value of which nothing is known.
template <typename Attrs>
absl::Status AddClamped(const InferContext& c, const Attrs& attrs, Inferred* out) {
  return out->AddResult(c, c.shape(0), WideInterval(attrs.lo, attrs.hi));
}

template <typename Attrs>
absl::Status CheckClamp(const Attrs& attrs, Label label) {
  if (attrs.lo <= attrs.hi) return absl::OkStatus();
  return MakeError(label, absl::StrCat("lo = ", attrs.lo, " is above hi = ", attrs.hi));
}

}  // namespace tally
