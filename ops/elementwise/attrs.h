// Attributes of the elementwise family.
#pragma once

#include "base/rescale.h"
#include "ops/attributes.h"
#include "ops/tensor_type.h"

namespace tally {

struct ClipAttrs {
  int64_t a_min = 0;
  int64_t a_max = 0;

  static constexpr auto Fields() {
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(IntField("a_min", &ClipAttrs::a_min, kElement.lo, kElement.hi),
                      IntField("a_max", &ClipAttrs::a_max, kElement.lo, kElement.hi));
  }
};

struct DivideAttrs {
  Rounding rounding = Rounding::kTrunc;

  static constexpr auto Fields() {
    return std::tuple(EnumField("rounding", &DivideAttrs::rounding, kRoundingNames));
  }
};

// The quotient that a remainder belongs to.
enum class Remainder : uint8_t {
  kTrunc = 0,  // the remainder has the sign of the dividend
  kFloor = 1,  // the remainder has the sign of the divisor
};

inline constexpr std::array<std::string_view, 2> kRemainderNames = {"trunc", "floor"};

struct ModuloAttrs {
  Remainder rounding = Remainder::kTrunc;

  static constexpr auto Fields() {
    return std::tuple(EnumField("rounding", &ModuloAttrs::rounding, kRemainderNames));
  }
  constexpr Rounding quotient() const {
    return rounding == Remainder::kTrunc ? Rounding::kTrunc : Rounding::kFloor;
  }
};

inline constexpr int64_t kMaxPower = 62;
inline constexpr int64_t kMaxTensorShift = 62;

struct ShiftRightAttrs {
  Rounding rounding = Rounding::kFloor;

  static constexpr auto Fields() {
    return std::tuple(EnumField("rounding", &ShiftRightAttrs::rounding, kRoundingNames));
  }
};

struct ClzAttrs {
  int64_t bits = 32;

  static constexpr auto Fields() { return std::tuple(IntField("bits", &ClzAttrs::bits, 1, 48)); }
};

enum class RootRounding : uint8_t { kFloor = 0, kNearest = 1 };

inline constexpr std::array<std::string_view, 2> kRootRoundingNames = {"floor", "nearest"};

struct SqrtAttrs {
  RootRounding rounding = RootRounding::kFloor;

  static constexpr auto Fields() {
    return std::tuple(EnumField("rounding", &SqrtAttrs::rounding, kRootRoundingNames));
  }
};

}  // namespace tally
