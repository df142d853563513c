#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/status_macros.h"
#include "ops/normalization/attrs.h"
#include "ops/table/recipe/recipe.h"
#include "quant/labels.h"
#include "quant/lower/lowering.h"
#include "quant/lower/recipe_scale.h"
#include "quant/ops/normalization/normalization_ops.h"

namespace tally::quant {
namespace {

constexpr int kExponentialBits = 30;  // for the operator's table below their point

// round(2^30 exp(-d * scale)) for d = 0, 1, .., as far as it is not 0, d is a difference or a table goes.
absl::StatusOr<Recipe> Exponentials(double scale, int64_t largest_difference) {
  ASSIGN_OR_RETURN(const RecipeScale step, RecipeScaleOf(scale));
  // 2^30 exp(-d scale) < 1/2 from here.
  const double first_zero = (kExponentialBits + 1) * std::log(2.0) / scale;
  const double wanted = std::min(
      {first_zero, static_cast<double>(largest_difference), static_cast<double>(kMaxRecipeEntries - 1)});
  const int64_t last = static_cast<int64_t>(wanted);
  return Recipe{.function = RecipeFunction::kExpNegative,
                .in = step,
                .out = {1, kExponentialBits},
                .count = last + 1,
                .hi = int64_t{1} << kExponentialBits};
}

// round(ln(1 + i / 1024) / scale * 2^shift), i = 0 to 1024.
absl::StatusOr<Recipe> Logarithms(double scale, int shift) {
  ASSIGN_OR_RETURN(const RecipeScale step, RecipeScaleOf(std::ldexp(scale, -shift)));
  return Recipe{.function = RecipeFunction::kLog,
                .in = {1, 10},
                .out = step,
                .first = 1024,
                .count = 1025,
                .hi = int64_t{1} << 32};
}

}  // namespace

LoweredResult BatchNorm::Lower(Lowering&, const Node&, const QuantizedType&) const {
  return MakeError(label::lower_unsupported, "batch normalization is folded before lowering");
}

// Probabilities: Q15, so that 1 - 2^-15 is the largest.
QuantizedType Softmax::OwnGrid(const OperandTypes&) const { return {0x1p-15, 0, {0, 32767}}; }

// The result stands for probabilities with scale 2^-15.
LoweredResult Softmax::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Recipe table, Exponentials(x.type.scale, x.type.interval.hi - x.type.interval.lo));
  ASSIGN_OR_RETURN(const tally::ValueId exponentials, lowering.builder().Constant(table));
  return lowering.builder().Op(
      Opcode::kSoftmax, {x.id, exponentials},
      SoftmaxAttrs{.axis = axis, .bits = 15, .lo = to.interval.lo, .hi = to.interval.hi});
}

LoweredResult LogSoftmax::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  // A finer grid than this is that of a result of zeros.
  const double scale = std::max(to.scale, 0x1p-30);
  const double gain = x.type.scale / scale;
  const int64_t width = x.type.interval.hi - x.type.interval.lo;
  // The largest shift for which logarithms have at most 31 bits, the multiplier 46 and its products 61.
  int shift = 62;
  const auto fits = [&] {
    return std::ldexp(std::log(2.0) / scale, shift) < 0x1p31 && std::ldexp(gain, shift) < 0x1p46 &&
           std::ldexp(gain * static_cast<double>(width), shift) < 0x1p61;
  };
  while (shift > 0 && !fits()) --shift;
  if (!fits()) return MakeError(label::lower_gain, "its operand's grid is too coarse for that of its result");
  ASSIGN_OR_RETURN(const Recipe powers, Exponentials(x.type.scale, width));
  ASSIGN_OR_RETURN(const Recipe logarithms, Logarithms(scale, shift));
  ASSIGN_OR_RETURN(const tally::ValueId e, lowering.builder().Constant(powers));
  ASSIGN_OR_RETURN(const tally::ValueId t, lowering.builder().Constant(logarithms));
  return lowering.builder().Op(Opcode::kLogSoftmax, {x.id, e, t},
                               LogSoftmaxAttrs{.axis = axis,
                                               .multiplier = std::llround(std::ldexp(gain, shift)),
                                               .shift = shift,
                                               .zero_out = to.zero_point,
                                               .lo = to.interval.lo,
                                               .hi = to.interval.hi});
}

}  // namespace tally::quant
