// Attributes of the normalization family.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rescale.h"
#include "ops/attributes.h"
#include "ops/normalization/epsilon_mode.h"
#include "ops/result_fields.h"
#include "ops/tensor_type.h"

namespace tally {

inline constexpr Interval kZeroPoint = RangeOf(Storage::kI32);
inline constexpr Interval kClamp = TensorLimit(Profile::kCore);

struct SoftmaxAttrs {
  int64_t axis = -1;  // in [-rank, rank)
  int64_t bits = 15;  // 2^bits stands for 1
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    return std::tuple_cat(std::tuple(IntField("axis", &SoftmaxAttrs::axis, -kMaxRank, kMaxRank - 1),
                                     IntField("bits", &SoftmaxAttrs::bits, 7, 15)),
                          ResultFields<SoftmaxAttrs>());
  }
};

struct LogSoftmaxAttrs {
  int64_t axis = -1;       // in [-rank, rank)
  int64_t multiplier = 1;  // for x - max, in units of 2^-shift
  int64_t shift = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    return std::tuple_cat(std::tuple(IntField("axis", &LogSoftmaxAttrs::axis, -kMaxRank, kMaxRank - 1),
                                     IntField("multiplier", &LogSoftmaxAttrs::multiplier, 0, kClamp.hi),
                                     IntField("shift", &LogSoftmaxAttrs::shift, 0, kMaxRescaleShift)),
                          ResultFields<LogSoftmaxAttrs>());
  }
};

// The attributes of every norm of features: how the root is taken, and what becomes of the result.
template <typename Attrs>
constexpr auto FeatureNormFields() {
  return std::tuple_cat(
      std::tuple(IntField<Attrs>("guard", &Attrs::guard, 0, 10),
                 IntField<Attrs>("epsilon", &Attrs::epsilon, 0, int64_t{1} << 62),
                 EnumField<Attrs, EpsilonMode>("epsilon_mode", &Attrs::epsilon_mode, kEpsilonModeNames),
                 IntField<Attrs>("shift", &Attrs::shift, 0, kMaxRescaleShift)),
      ResultFields<Attrs>());
}

// The same over the axes of a row.
template <typename Attrs>
constexpr auto RowNormFields() {
  return std::tuple_cat(
      std::tuple(ListField<Attrs>("axes", &Attrs::axes, -kMaxRank, kMaxRank - 1, 1, kMaxRank)),
      FeatureNormFields<Attrs>());
}

struct LayerNormAttrs {
  std::vector<int64_t> axes = {-1};  // a row's, each in [-rank, rank)
  int64_t guard = 0;                 // bits of the root below its unit
  int64_t epsilon = 0;               // in the unit of what it joins
  EpsilonMode epsilon_mode = EpsilonMode::kAdded;
  int64_t shift = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() { return RowNormFields<LayerNormAttrs>(); }
};

// As layer_norm, around zero_in instead of the mean.
struct RmsNormAttrs : LayerNormAttrs {
  int64_t zero_in = 0;

  static constexpr auto Fields() {
    return std::tuple_cat(
        RowNormFields<RmsNormAttrs>(),
        std::tuple(IntField("zero_in", &RmsNormAttrs::zero_in, kZeroPoint.lo, kZeroPoint.hi)));
  }
};

struct LocalResponseNormAttrs {
  std::vector<int64_t> axes = {1};    // the window's, each in [-rank, rank)
  std::vector<int64_t> before = {0};  // elements of the window before and after the centre, for each axis
  std::vector<int64_t> after = {0};
  int64_t zero_in = 0;
  int64_t alpha = 0;  // u = bias + alpha * the sum of squares
  int64_t bias = 1;
  int64_t shift = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    using Attrs = LocalResponseNormAttrs;
    return std::tuple_cat(std::tuple(ListField("axes", &Attrs::axes, -kMaxRank, kMaxRank - 1, 1, kMaxRank),
                                     ListField("before", &Attrs::before, 0, 4096, 1, kMaxRank),
                                     ListField("after", &Attrs::after, 0, 4096, 1, kMaxRank),
                                     IntField("zero_in", &Attrs::zero_in, kZeroPoint.lo, kZeroPoint.hi),
                                     IntField("alpha", &Attrs::alpha, 0, kClamp.hi),
                                     IntField("bias", &Attrs::bias, 1, int64_t{1} << 61),
                                     IntField("shift", &Attrs::shift, 0, kMaxRescaleShift)),
                          ResultFields<Attrs>());
  }
};

}  // namespace tally
