#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/int_math.h"
#include "base/status_macros.h"
#include "ops/normalization/attrs.h"
#include "ops/table/recipe/recipe.h"
#include "quant/lower/lowering.h"
#include "quant/ops/normalization/normalization_ops.h"

namespace tally::quant {
namespace {

constexpr int kTableBits = 31;     // for the power's mantissa below its point
constexpr int kNumExponents = 62;  // that the operator's sum can have

RecipeParameter InLowestTerms(int64_t numerator, int64_t denominator) {
  const int64_t common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

RecipeParameter RationalOf(float beta) {
  constexpr int kFractionBits = 24;
  return InLowestTerms(std::llround(std::ldexp(double{beta}, kFractionBits)), int64_t{1} << kFractionBits);
}

// 2^(beta k), the same on every machine, as std::exp2 is not.
absl::StatusOr<double> PowerOfTwo(const RecipeParameter& beta, int64_t k) {
  constexpr int kBits = 45;
  const int64_t exponent = beta.numerator * k;
  const int64_t whole = FloorDiv(exponent, beta.denominator);
  const RecipeParameter rest = InLowestTerms(exponent - whole * beta.denominator, beta.denominator);
  const Recipe recipe = {.function = RecipeFunction::kPower,
                         .alpha = rest,
                         .out = {1, kBits},
                         .first = 2,
                         .hi = int64_t{2} << kBits};
  ASSIGN_OR_RETURN(const std::vector<int64_t> power, tally::Expand(recipe));
  return std::ldexp(static_cast<double>(power[0]), static_cast<int>(whole) - kBits);
}

// round(2^31 * (1 + i / 1024)^-beta), i = 0 to 1024.
Recipe Mantissas(const RecipeParameter& beta) {
  return Recipe{.function = RecipeFunction::kPower,
                .alpha = {-beta.numerator, beta.denominator},
                .in = {1, 10},
                .out = {1, kTableBits},
                .first = 1024,
                .count = 1025,
                .hi = int64_t{1} << kTableBits};
}

}  // namespace

// The operator's u is 2^fraction times the sum in parentheses, as large as it may be, and its power 2^(-beta
// fraction) times what is wanted, which the table of exponents takes back.
LoweredResult LocalResponseNorm::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const double channels = static_cast<double>(std::min(size, lowering.ShapeOfOperand(node, 0)[1]));
  const double reach = static_cast<double>(Minus(x.type.interval, x.type.zero_point).Magnitude());
  const double per_square = double{alpha} / static_cast<double>(size) * x.type.scale * x.type.scale;
  int fraction = 60;
  const auto fits = [&] {
    return std::ldexp(per_square, fraction) < 0x1p46 &&
           std::ldexp(bias + per_square * channels * reach * reach, fraction) < 0x1p61;
  };
  while (!fits()) --fraction;
  const int64_t addend = std::max<int64_t>(std::llround(std::ldexp(double{bias}, fraction)), 1);

  const int first = BitLength(static_cast<uint64_t>(addend)) - 1;  // no exponent below occurs
  const RecipeParameter power = RationalOf(beta);
  const double gain = x.type.scale / to.scale;
  ASSIGN_OR_RETURN(const double largest, PowerOfTwo(power, fraction - first));
  const int shift = std::clamp(kTableBits - 1 - std::ilogb(gain * largest), 0, 62);
  std::array<int64_t, kNumExponents> exponents;
  for (int k = 0; k < kNumExponents; ++k) {
    ASSIGN_OR_RETURN(const double factor, PowerOfTwo(power, fraction - std::max(k, first)));
    exponents[k] = std::llround(std::min(std::ldexp(gain * factor, shift), 0x1p31));
  }
  ASSIGN_OR_RETURN(const tally::ValueId m, lowering.builder().Constant(Mantissas(power)));
  ASSIGN_OR_RETURN(const tally::ValueId e, lowering.VectorConstant(exponents));
  return lowering.builder().Op(Opcode::kLocalResponseNorm, {x.id, m, e},
                               LocalResponseNormAttrs{.axes = {1},
                                                      .before = {(size - 1) / 2},
                                                      .after = {size / 2},
                                                      .zero_in = x.type.zero_point,
                                                      .alpha = std::llround(std::ldexp(per_square, fraction)),
                                                      .bias = addend,
                                                      .shift = shift,
                                                      .zero_out = to.zero_point,
                                                      .lo = to.interval.lo,
                                                      .hi = to.interval.hi});
}

}  // namespace tally::quant
