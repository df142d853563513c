// Attributes of the lowerings of the normalization family that are no operators.
#pragma once

#include "ops/normalization/attrs.h"

namespace tally {

// Those of layer_norm but the axes, which the lowering chooses.
template <typename Attrs>
constexpr auto FeatureNormFields() {
  return std::tuple(IntField<Attrs>("guard", &Attrs::guard, 0, 10),
                    IntField<Attrs>("epsilon", &Attrs::epsilon, 0, int64_t{1} << 62),
                    EnumField<Attrs, EpsilonMode>("epsilon_mode", &Attrs::epsilon_mode, kEpsilonModeNames),
                    IntField<Attrs>("shift", &Attrs::shift, 0, kMaxRescaleShift),
                    IntField<Attrs>("zero_out", &Attrs::zero_out, kZeroPoint.lo, kZeroPoint.hi),
                    IntField<Attrs>("lo", &Attrs::lo, kClamp.lo, kClamp.hi),
                    IntField<Attrs>("hi", &Attrs::hi, kClamp.lo, kClamp.hi));
}

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

}  // namespace tally
