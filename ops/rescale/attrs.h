// Attributes of the rescale family.
#pragma once

#include <limits>

#include "base/rescale.h"
#include "ops/attributes.h"
#include "ops/result_fields.h"
#include "ops/tensor_type.h"

namespace tally {

struct RescaleAttrs {
  int64_t axis = 0;  // for the channels; read only when there are several
  int64_t zero_in = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;
  Rounding rounding = Rounding::kHalfUp;

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple_cat(std::tuple(IntField("axis", &RescaleAttrs::axis, -kMaxRank, kMaxRank - 1),
                                     IntField("zero_in", &RescaleAttrs::zero_in, kI32.lo, kI32.hi)),
                          ResultFields<RescaleAttrs>(),
                          std::tuple(EnumField("rounding", &RescaleAttrs::rounding, kRoundingNames)));
  }
};

struct LincombAttrs {
  std::vector<int64_t> multipliers;  // one for each operand
  std::vector<int64_t> zero_points;  // one for each operand
  int64_t bias = 0;
  int64_t shift = 0;
  Rounding rounding = Rounding::kHalfUp;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    constexpr Interval kI64 = RangeOf(Storage::kI64);
    return std::tuple_cat(
        std::tuple(ListField("multipliers", &LincombAttrs::multipliers, -kI32.hi, kI32.hi, 1, 4),
                   ListField("zero_points", &LincombAttrs::zero_points, kI32.lo, kI32.hi, 1, 4),
                   IntField("bias", &LincombAttrs::bias, kI64.lo, kI64.hi),
                   IntField("shift", &LincombAttrs::shift, 0, kMaxRescaleShift),
                   EnumField("rounding", &LincombAttrs::rounding, kRoundingNames)),
        ResultFields<LincombAttrs>());
  }
};

struct MulshiftAttrs {
  int64_t zero_a = 0;
  int64_t zero_b = 0;
  int64_t multiplier = 1;
  int64_t shift = 0;
  Rounding rounding = Rounding::kHalfUp;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple_cat(std::tuple(IntField("zero_a", &MulshiftAttrs::zero_a, kI32.lo, kI32.hi),
                                     IntField("zero_b", &MulshiftAttrs::zero_b, kI32.lo, kI32.hi),
                                     IntField("multiplier", &MulshiftAttrs::multiplier, -kI32.hi, kI32.hi),
                                     IntField("shift", &MulshiftAttrs::shift, 0, kMaxRescaleShift),
                                     EnumField("rounding", &MulshiftAttrs::rounding, kRoundingNames)),
                          ResultFields<MulshiftAttrs>());
  }
};

struct CvmClipAttrs {
  int64_t precision = 1;

  static constexpr auto Fields() {
    return std::tuple(IntField("precision", &CvmClipAttrs::precision, 1, 32));
  }
};

// The attributes of cvm_right_shift and of cvm_left_shift.
struct CvmShiftAttrs {
  int64_t precision = 1;
  int64_t shift_bit = 1;

  static constexpr auto Fields() {
    return std::tuple(IntField("precision", &CvmShiftAttrs::precision, 1, 32),
                      IntField("shift_bit", &CvmShiftAttrs::shift_bit, 1, 32));
  }
};

}  // namespace tally
