// Attributes of the lowerings of the pooling family that are no operators.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/pooling/attrs.h"

namespace tally {

// Those of window_sum, with lists for the axes after N and C.
struct PowerPoolAttrs {
  std::vector<int64_t> kernel;
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  std::vector<int64_t> pad_begin;
  std::vector<int64_t> pad_end;
  int64_t zero = 0;
  int64_t p = 2;

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple_cat(std::tuple(ListField("kernel", &PowerPoolAttrs::kernel, 1, kMaxDim, 1, kMaxRank)),
                          WindowFields<PowerPoolAttrs>(kMaxRank),
                          std::tuple(IntField("zero", &PowerPoolAttrs::zero, kI32.lo, kI32.hi),
                                     IntField("p", &PowerPoolAttrs::p, 1, 2)));
  }
};

struct GlobalPowerPoolAttrs {
  int64_t zero = 0;
  int64_t p = 2;

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple(IntField("zero", &GlobalPowerPoolAttrs::zero, kI32.lo, kI32.hi),
                      IntField("p", &GlobalPowerPoolAttrs::p, 1, 2));
  }
};

// The last step of average_pool on the sum.
struct GlobalAveragePoolAttrs {
  int64_t zero_in = 0;
  int64_t multiplier = 1;
  int64_t shift = 0;
  Rounding rounding = Rounding::kHalfAway;
  int64_t zero_out = 0;
  int64_t lo = TensorLimit(Profile::kCore).lo;
  int64_t hi = TensorLimit(Profile::kCore).hi;

  static constexpr auto Fields() { return AverageRescaleFields<GlobalAveragePoolAttrs>(); }
};

struct AdaptiveMaxPoolAttrs {
  std::vector<int64_t> sizes;  // the result's, after N and C

  static constexpr auto Fields() {
    return std::tuple(ListField("sizes", &AdaptiveMaxPoolAttrs::sizes, 1, kMaxDim, 1, kMaxRank));
  }
};

struct AdaptiveAveragePoolAttrs : GlobalAveragePoolAttrs {
  std::vector<int64_t> sizes;

  static constexpr auto Fields() {
    return std::tuple_cat(
        std::tuple(ListField("sizes", &AdaptiveAveragePoolAttrs::sizes, 1, kMaxDim, 1, kMaxRank)),
        AverageRescaleFields<AdaptiveAveragePoolAttrs>());
  }
};

struct SlidingWindowsAttrs {
  int64_t axis = 0;
  int64_t size = 1;
  int64_t step = 1;

  static constexpr auto Fields() {
    return std::tuple(IntField("axis", &SlidingWindowsAttrs::axis, -kMaxRank, kMaxRank - 1),
                      IntField("size", &SlidingWindowsAttrs::size, 1, kMaxDim),
                      IntField("step", &SlidingWindowsAttrs::step, 1, kMaxDim));
  }
};

}  // namespace tally
