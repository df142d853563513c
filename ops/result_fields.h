// Attributes that many operators share: what becomes of an exact value once it is rounded.
#pragma once

#include <cstdint>
#include <tuple>

#include "ops/attributes.h"
#include "ops/tensor_type.h"

namespace tally {

// zero_out, lo and hi, of a result clamp(rounded + zero_out, lo, hi).
template <typename Attrs>
constexpr auto ResultFields() {
  constexpr Interval kZeroPoint = RangeOf(Storage::kI32), kElement = TensorLimit(Profile::kCore);
  return std::tuple(IntField<Attrs>("zero_out", &Attrs::zero_out, kZeroPoint.lo, kZeroPoint.hi),
                    IntField<Attrs>("lo", &Attrs::lo, kElement.lo, kElement.hi),
                    IntField<Attrs>("hi", &Attrs::hi, kElement.lo, kElement.hi));
}

// in, out and zero_in, then the above, of a function of reals: the scales m 2^-s of both sides, as [m, s].
template <typename Attrs>
constexpr auto ScaledFields() {
  constexpr Interval kI32 = RangeOf(Storage::kI32);
  return std::tuple_cat(std::tuple(ListField<Attrs>("in", &Attrs::in, 0, kI32.hi, 2, 2),
                                   ListField<Attrs>("out", &Attrs::out, 0, kI32.hi, 2, 2),
                                   IntField<Attrs>("zero_in", &Attrs::zero_in, kI32.lo, kI32.hi)),
                        ResultFields<Attrs>());
}

}  // namespace tally
