#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/int_math.h"
#include "base/status_macros.h"
#include "ops/normalization/attrs.h"
#include "ops/table/recipe/recipe.h"
#include "quant/lower/lowering.h"
#include "quant/ops/normalization/normalization_ops.h"

namespace tally::quant {
namespace {

constexpr int kTableBits = 31;     // of the power's mantissa below its point
constexpr int kNumExponents = 62;  // that the operator's sum can have

// round(2^31 * (1 + i / 1024)^-beta), i = 0 to 1024.
Recipe Mantissas(float beta) {
  constexpr int kFractionBits = 24;
  const int64_t numerator = std::llround(std::ldexp(double{beta}, kFractionBits));
  const int64_t common = std::gcd(numerator, int64_t{1} << kFractionBits);
  return Recipe{.function = RecipeFunction::kPower,
                .alpha = {-numerator / common, (int64_t{1} << kFractionBits) / common},
                .in = {1, 10},
                .out = {1, kTableBits},
                .first = 1024,
                .count = 1025,
                .hi = int64_t{1} << kTableBits};
}

}  // namespace

// The operator's u is 2^fraction times the sum in parentheses, as large as it may be, and its power 2^(-beta fraction) times
// what is wanted, which the table of exponents takes back.
LoweredResult LocalResponseNorm::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const double channels = static_cast<double>(std::min(size, lowering.ShapeOfOperand(node, 0)[1]));
  const double reach = static_cast<double>(Minus(x.type.interval, x.type.zero_point).Magnitude());
  const double factor = double{alpha} / static_cast<double>(size) * x.type.scale * x.type.scale;
  int fraction = 60;
  const auto fits = [&] {
    return std::ldexp(factor, fraction) < 0x1p46 &&
           std::ldexp(bias + factor * channels * reach * reach, fraction) < 0x1p61;
  };
  while (!fits()) --fraction;
  const int64_t addend = std::max<int64_t>(std::llround(std::ldexp(double{bias}, fraction)), 1);

  const int first = BitLength(static_cast<uint64_t>(addend)) - 1;  // no exponent below occurs
  const double gain_bits = std::log2(x.type.scale / to.scale);
  const double largest_bits = gain_bits + double{beta} * (fraction - first);
  const int shift = static_cast<int>(std::clamp(std::floor(kTableBits - largest_bits), 0.0, 62.0));
  std::array<int64_t, kNumExponents> exponents;
  for (int k = 0; k < kNumExponents; ++k) {
    const double bits = shift + gain_bits + double{beta} * (fraction - std::max(k, first));
    exponents[k] = std::llround(std::exp2(std::min<double>(bits, kTableBits)));
  }
  ASSIGN_OR_RETURN(const tally::ValueId m, lowering.builder().Constant(Mantissas(beta)));
  ASSIGN_OR_RETURN(const tally::ValueId e, lowering.VectorConstant(exponents));
  return lowering.builder().Op(Opcode::kLocalResponseNorm, {x.id, m, e},
                               LocalResponseNormAttrs{.axes = {1},
                                                      .before = {(size - 1) / 2},
                                                      .after = {size / 2},
                                                      .zero_in = x.type.zero_point,
                                                      .alpha = std::llround(std::ldexp(factor, fraction)),
                                                      .bias = addend,
                                                      .shift = shift,
                                                      .zero_out = to.zero_point,
                                                      .lo = to.interval.lo,
                                                      .hi = to.interval.hi});
}

}  // namespace tally::quant
