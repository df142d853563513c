// Attributes of the normalization family.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/rescale.h"
#include "ops/attributes.h"
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
    return std::tuple(IntField("axis", &SoftmaxAttrs::axis, -kMaxRank, kMaxRank - 1),
                      IntField("bits", &SoftmaxAttrs::bits, 7, 15),
                      IntField("zero_out", &SoftmaxAttrs::zero_out, kZeroPoint.lo, kZeroPoint.hi),
                      IntField("lo", &SoftmaxAttrs::lo, kClamp.lo, kClamp.hi),
                      IntField("hi", &SoftmaxAttrs::hi, kClamp.lo, kClamp.hi));
  }
};

struct LogSoftmaxAttrs {
  int64_t axis = -1;       // in [-rank, rank)
  int64_t multiplier = 1;  // of x - max, in units of 2^-shift
  int64_t shift = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    return std::tuple(IntField("axis", &LogSoftmaxAttrs::axis, -kMaxRank, kMaxRank - 1),
                      IntField("multiplier", &LogSoftmaxAttrs::multiplier, 0, kClamp.hi),
                      IntField("shift", &LogSoftmaxAttrs::shift, 0, kMaxRescaleShift),
                      IntField("zero_out", &LogSoftmaxAttrs::zero_out, kZeroPoint.lo, kZeroPoint.hi),
                      IntField("lo", &LogSoftmaxAttrs::lo, kClamp.lo, kClamp.hi),
                      IntField("hi", &LogSoftmaxAttrs::hi, kClamp.lo, kClamp.hi));
  }
};

// How epsilon joins the variance V: V + epsilon and max(V, epsilon) under the root, sqrt(V) + epsilon behind it.
enum class EpsilonMode { kAdded, kMaximum, kOutside };
inline constexpr std::array<std::string_view, 3> kEpsilonModeNames = {"added", "maximum", "outside"};

struct LayerNormAttrs {
  std::vector<int64_t> axes = {-1};  // of a row, each in [-rank, rank)
  int64_t guard = 0;                 // bits of the root below its unit
  int64_t epsilon = 0;               // in the unit of what it joins
  EpsilonMode epsilon_mode = EpsilonMode::kAdded;
  int64_t shift = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    return std::tuple(ListField("axes", &LayerNormAttrs::axes, -kMaxRank, kMaxRank - 1, 1, kMaxRank),
                      IntField("guard", &LayerNormAttrs::guard, 0, 10),
                      IntField("epsilon", &LayerNormAttrs::epsilon, 0, int64_t{1} << 62),
                      EnumField("epsilon_mode", &LayerNormAttrs::epsilon_mode, kEpsilonModeNames),
                      IntField("shift", &LayerNormAttrs::shift, 0, kMaxRescaleShift),
                      IntField("zero_out", &LayerNormAttrs::zero_out, kZeroPoint.lo, kZeroPoint.hi),
                      IntField("lo", &LayerNormAttrs::lo, kClamp.lo, kClamp.hi),
                      IntField("hi", &LayerNormAttrs::hi, kClamp.lo, kClamp.hi));
  }
};

// The fields of a base as fields of the struct that has them from it.
template <typename Struct, typename Base, typename... T>
constexpr auto Inherited(const std::tuple<AttrField<Base, T>...>& fields) {
  return std::apply(
      [](const auto&... field) {
        return std::tuple(AttrField<Struct, T>{field.spec, field.member}...);
      },
      fields);
}

// As layer_norm, around zero_in instead of the mean.
struct RmsNormAttrs : LayerNormAttrs {
  int64_t zero_in = 0;

  static constexpr auto Fields() {
    return std::tuple_cat(
        Inherited<RmsNormAttrs>(LayerNormAttrs::Fields()),
        std::tuple(IntField("zero_in", &RmsNormAttrs::zero_in, kZeroPoint.lo, kZeroPoint.hi)));
  }
};

struct LocalResponseNormAttrs {
  std::vector<int64_t> axes = {1};    // of the window, each in [-rank, rank)
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
    return std::tuple(
        ListField("axes", &Attrs::axes, -kMaxRank, kMaxRank - 1, 1, kMaxRank),
        ListField("before", &Attrs::before, 0, 4096, 1, kMaxRank),
        ListField("after", &Attrs::after, 0, 4096, 1, kMaxRank),
        IntField("zero_in", &Attrs::zero_in, kZeroPoint.lo, kZeroPoint.hi),
        IntField("alpha", &Attrs::alpha, 0, kClamp.hi), IntField("bias", &Attrs::bias, 1, int64_t{1} << 61),
        IntField("shift", &Attrs::shift, 0, kMaxRescaleShift),
        IntField("zero_out", &Attrs::zero_out, kZeroPoint.lo, kZeroPoint.hi),
        IntField("lo", &Attrs::lo, kClamp.lo, kClamp.hi), IntField("hi", &Attrs::hi, kClamp.lo, kClamp.hi));
  }
};

}  // namespace tally
