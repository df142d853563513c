// Attributes of the lowerings of the rescale family that are no operators.
#pragma once

#include "base/rescale.h"
#include "ops/attributes.h"
#include "ops/result_fields.h"
#include "ops/tensor_type.h"

namespace tally {

// The multiplier and the shift are those of x >= zero_in; the rest is that of rescale.
struct PreluAttrs {
  int64_t axis = 0;  // for the channels; read only when there are several
  int64_t multiplier = 1;
  int64_t shift = 0;
  int64_t zero_in = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;
  Rounding rounding = Rounding::kHalfUp;

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple_cat(std::tuple(IntField("axis", &PreluAttrs::axis, -kMaxRank, kMaxRank - 1),
                                     IntField("multiplier", &PreluAttrs::multiplier, -kI32.hi, kI32.hi),
                                     IntField("shift", &PreluAttrs::shift, 0, kMaxRescaleShift),
                                     IntField("zero_in", &PreluAttrs::zero_in, kI32.lo, kI32.hi)),
                          ResultFields<PreluAttrs>(),
                          std::tuple(EnumField("rounding", &PreluAttrs::rounding, kRoundingNames)));
  }
};

}  // namespace tally
