// Attributes of the lowerings of the table family that are no operators.
#pragma once

#include "base/shape.h"
#include "ops/attributes.h"
#include "ops/result_fields.h"
#include "ops/table/recipe/recipe.h"
#include "ops/tensor_type.h"

namespace tally {

// The fields of a recipe but its range, which is that of the operand.
struct UnaryAttrs {
  RecipeFunction function = RecipeFunction::kIdentity;
  std::vector<int64_t> alpha = {0, 1};  // numerator, denominator
  std::vector<int64_t> beta = {0, 1};
  std::vector<int64_t> in = {1, 0};  // multiplier, shift: the scale m 2^-s
  std::vector<int64_t> out = {1, 0};
  int64_t zero_in = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(EnumField("function", &UnaryAttrs::function, kRecipeFunctionNames),
                      ListField("alpha", &UnaryAttrs::alpha, -kI32.hi, kI32.hi, 2, 2),
                      ListField("beta", &UnaryAttrs::beta, -kI32.hi, kI32.hi, 2, 2),
                      ListField("in", &UnaryAttrs::in, 0, kI32.hi, 2, 2),
                      ListField("out", &UnaryAttrs::out, 0, kI32.hi, 2, 2),
                      IntField("zero_in", &UnaryAttrs::zero_in, kElement.lo, kElement.hi),
                      IntField("zero_out", &UnaryAttrs::zero_out, kElement.lo, kElement.hi),
                      IntField("lo", &UnaryAttrs::lo, kElement.lo, kElement.hi),
                      IntField("hi", &UnaryAttrs::hi, kElement.lo, kElement.hi));
  }
};

struct Table2Attrs {
  int64_t lo_a = 0;  // the operands that read entry 0
  int64_t lo_b = 0;
  int64_t n_b = 1;  // entries for one a

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple(IntField("lo_a", &Table2Attrs::lo_a, kI32.lo, kI32.hi),
                      IntField("lo_b", &Table2Attrs::lo_b, kI32.lo, kI32.hi),
                      IntField("n_b", &Table2Attrs::n_b, 1, kMaxRecipeEntries));
  }
};

struct TablePerChannelAttrs {
  int64_t axis = 0;
  int64_t offset = 0;  // the operand that reads entry 0 of its channel

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple(IntField("axis", &TablePerChannelAttrs::axis, -kMaxRank, kMaxRank - 1),
                      IntField("offset", &TablePerChannelAttrs::offset, kI32.lo, kI32.hi));
  }
};

// The attributes of a function of a wide x: the scales and the zero points of both sides.
struct WideAttrs {
  std::vector<int64_t> in = {1, 0};  // multiplier, shift: the scale m 2^-s
  std::vector<int64_t> out = {1, 0};
  int64_t zero_in = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() { return ScaledFields<WideAttrs>(); }
};

struct WideConstantPowerAttrs : WideAttrs {
  std::vector<int64_t> exponent = {1, 1};  // numerator, denominator

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple_cat(
        std::tuple(ListField("exponent", &WideConstantPowerAttrs::exponent, -kI32.hi, kI32.hi, 2, 2)),
        ScaledFields<WideConstantPowerAttrs>());
  }
};

struct WidePowerAttrs {
  std::vector<int64_t> in = {1, 0};
  std::vector<int64_t> power = {1, 0};  // scale of the exponents
  std::vector<int64_t> out = {1, 0};
  int64_t zero_in = 0;
  int64_t zero_power = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple_cat(std::tuple(ListField("in", &WidePowerAttrs::in, 0, kI32.hi, 2, 2),
                                     ListField("power", &WidePowerAttrs::power, 0, kI32.hi, 2, 2),
                                     ListField("out", &WidePowerAttrs::out, 0, kI32.hi, 2, 2),
                                     IntField("zero_in", &WidePowerAttrs::zero_in, kI32.lo, kI32.hi),
                                     IntField("zero_power", &WidePowerAttrs::zero_power, kI32.lo, kI32.hi)),
                          ResultFields<WidePowerAttrs>());
  }
};

}  // namespace tally
