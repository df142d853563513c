// Attributes of the lowerings of the normalization family that are no operators.
#pragma once

#include "ops/normalization/attrs.h"

namespace tally {

// The lowering chooses the axes.
struct InstanceNormAttrs {
  int64_t guard = 0;
  int64_t epsilon = 0;
  EpsilonMode epsilon_mode = EpsilonMode::kAdded;
  int64_t shift = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() { return FeatureNormFields<InstanceNormAttrs>(); }
};

struct GroupNormAttrs : InstanceNormAttrs {
  int64_t groups = 1;

  static constexpr auto Fields() {
    return std::tuple_cat(FeatureNormFields<GroupNormAttrs>(),
                          std::tuple(IntField("groups", &GroupNormAttrs::groups, 1, kMaxDim)));
  }
};

struct MvnAttrs : InstanceNormAttrs {
  bool across_channels = false;     // one mean for all channels of a sample
  bool normalize_variance = false;  // else the mean is subtracted, and that is all

  static constexpr auto Fields() {
    return std::tuple_cat(FeatureNormFields<MvnAttrs>(),
                          std::tuple(BoolField("across_channels", &MvnAttrs::across_channels),
                                     BoolField("normalize_variance", &MvnAttrs::normalize_variance)));
  }
};

// The attributes of x / sqrt(the sum of x^2), with the scale of the result as m 2^-s.
template <typename Attrs>
constexpr auto UnitNormFields() {
  constexpr Interval kI32 = RangeOf(Storage::kI32);
  return std::tuple_cat(std::tuple(IntField<Attrs>("guard", &Attrs::guard, 0, 10),
                                   IntField<Attrs>("epsilon", &Attrs::epsilon, 0, int64_t{1} << 62),
                                   ListField<Attrs>("out", &Attrs::out, 0, kI32.hi, 2, 2),
                                   IntField<Attrs>("zero_in", &Attrs::zero_in, kZeroPoint.lo, kZeroPoint.hi)),
                        ResultFields<Attrs>());
}

struct GrnAttrs {
  int64_t guard = 0;
  int64_t epsilon = 0;  // in units of the square of x, 4^guard for each
  std::vector<int64_t> out = {1, 0};
  int64_t zero_in = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() { return UnitNormFields<GrnAttrs>(); }
};

struct L2NormalizeAttrs : GrnAttrs {
  std::vector<int64_t> axes = {-1};
  bool maximum = false;  // epsilon bounds the sum from below; else it is added

  static constexpr auto Fields() {
    return std::tuple_cat(
        UnitNormFields<L2NormalizeAttrs>(),
        std::tuple(ListField("axes", &L2NormalizeAttrs::axes, -kMaxRank, kMaxRank - 1, 1, kMaxRank),
                   BoolField("maximum", &L2NormalizeAttrs::maximum)));
  }
};

struct L1NormalizeAttrs {
  std::vector<int64_t> axes = {-1};
  int64_t bits = 15;  // 2^bits stands for 1
  int64_t zero_in = 0;
  int64_t zero_out = 0;

  static constexpr auto Fields() {
    return std::tuple(ListField("axes", &L1NormalizeAttrs::axes, -kMaxRank, kMaxRank - 1, 1, kMaxRank),
                      IntField("bits", &L1NormalizeAttrs::bits, 0, 30),
                      IntField("zero_in", &L1NormalizeAttrs::zero_in, kZeroPoint.lo, kZeroPoint.hi),
                      IntField("zero_out", &L1NormalizeAttrs::zero_out, kZeroPoint.lo, kZeroPoint.hi));
  }
};

struct GlobalResponseNormAttrs {
  int64_t guard = 0;     // bits below the point of a channel's norm
  int64_t bits = 15;     // bits below the point of a norm over the mean of them
  int64_t epsilon = 0;   // added to the sum of the norms
  int64_t residual = 0;  // multiplier of x itself
  int64_t shift = 0;
  int64_t zero_in = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    using A = GlobalResponseNormAttrs;
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple_cat(std::tuple(IntField("guard", &A::guard, 0, 20), IntField("bits", &A::bits, 0, 30),
                                     IntField("epsilon", &A::epsilon, 0, kElement.hi),
                                     IntField("residual", &A::residual, kElement.lo, kElement.hi),
                                     IntField("shift", &A::shift, 0, kMaxRescaleShift),
                                     IntField("zero_in", &A::zero_in, kZeroPoint.lo, kZeroPoint.hi)),
                          ResultFields<A>());
  }
};

struct BatchNormAttrs {
  int64_t zero_in = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    return std::tuple_cat(
        std::tuple(IntField("zero_in", &BatchNormAttrs::zero_in, kZeroPoint.lo, kZeroPoint.hi)),
        ResultFields<BatchNormAttrs>());
  }
};

}  // namespace tally
