#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/table/attrs.h"
#include "quant/labels.h"
#include "quant/lower/lowering.h"
#include "quant/lower/recipe_scale.h"
#include "quant/ops/elementwise/lower_long.h"
#include "quant/ops/elementwise/unary_ops.h"

namespace tally::quant {
namespace {

// The simplest fraction that is `value` as a float: 1/6 of 1.0f / 6. None where it needs 2^31 or more.
std::optional<RecipeParameter> FractionOf(float value) {
  constexpr int64_t kLimit = int64_t{1} << 31;
  const double size = std::abs(static_cast<double>(value));
  if (size >= static_cast<double>(kLimit)) return std::nullopt;
  // Convergents p / q of the continued fraction, and those before.
  int64_t p = 1, q = 0, p_before = 0, q_before = 1;
  double rest = size;
  while (true) {
    const double whole = std::floor(rest);
    if (whole >= static_cast<double>(kLimit)) return std::nullopt;
    const int64_t n = static_cast<int64_t>(whole);
    p_before = std::exchange(p, n * p + p_before);
    q_before = std::exchange(q, n * q + q_before);
    if (p >= kLimit || q >= kLimit) return std::nullopt;
    if (static_cast<float>(static_cast<double>(p) / static_cast<double>(q)) == static_cast<float>(size)) {
      return RecipeParameter{value < 0 ? -p : p, q};
    }
    if (rest == whole) return std::nullopt;
    rest = 1 / (rest - whole);
  }
}

absl::StatusOr<RecipeParameter> Parameter(float value) {
  const auto fraction = FractionOf(value);
  if (fraction.has_value()) return *fraction;
  return MakeError(label::lower_unsupported, absl::StrCat("no fraction below 2^31 stands for ", value));
}

// A float as mantissa * 2^exponent, the mantissa below 2^24. `value` has no more bits.
struct Binary {
  int64_t mantissa;
  int exponent;
};
Binary BinaryOf(double value) {
  constexpr int kBits = 24;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return {static_cast<int64_t>(std::ldexp(mantissa, kBits)), exponent - kBits};
}

// floor(code * slope * from / to + 1/2), exactly; far outside every clamp where it would not fit. |code| <
// 2^18.
int64_t Scaled(int64_t code, float slope, double from, double to) {
  constexpr int64_t kFar = int64_t{1} << 50;
  const Binary s = BinaryOf(slope), f = BinaryOf(from), t = BinaryOf(to);
  Int128 numerator = Int128{code} * s.mantissa * f.mantissa;  // below 2^66
  Int128 denominator = t.mantissa;                            // in [2^23, 2^24)
  const int exponent = s.exponent + f.exponent - t.exponent;
  if (numerator == 0 || exponent < -100) return 0;
  if (exponent > 58) return numerator < 0 ? -kFar : kFar;
  (exponent < 0 ? denominator : numerator) *= Int128{1} << std::abs(exponent);
  const Int128 twice = 2 * numerator + denominator, divisor = 2 * denominator;
  const Int128 quotient = twice / divisor - (twice % divisor < 0 ? 1 : 0);
  return static_cast<int64_t>(std::clamp<Int128>(quotient, -kFar, kFar));
}

// The larger of two products, or the smaller where the slope falls: rounding and clamping keep the order.
LoweredResult LowerByProducts(Lowering& lowering, const Slopes& op, const Lowered& x,
                              const QuantizedType& to) {
  const uint64_t magnitude = Minus(x.type.interval, x.type.zero_point).Magnitude();
  const auto product = [&](float slope) -> LoweredResult {
    const double gain = static_cast<double>(slope) * x.type.scale / to.scale;
    ASSIGN_OR_RETURN(FixedMultiplier fixed, ToFixedMultiplier(std::abs(gain), magnitude));
    const bool has_ties = CanTie(fixed, magnitude);
    if (gain < 0) fixed.multiplier = -fixed.multiplier;
    return lowering.Rescale(x.id, {.zero_in = x.type.zero_point, .gains = {fixed}, .has_ties = has_ties}, to);
  };
  ASSIGN_OR_RETURN(const tally::ValueId negative, product(op.below));
  ASSIGN_OR_RETURN(const tally::ValueId positive, product(op.above));
  const Opcode opcode = op.below <= op.above ? Opcode::kBroadcastMax : Opcode::kBroadcastMin;
  return lowering.builder().Op(opcode, {negative, positive});
}

}  // namespace

LoweredResult Unary::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered operand, lowering.Operand(node, 0));
  if (ReadsLong() && !FitsIn16Bits(operand.type)) {
    ASSIGN_OR_RETURN(const RecipeParameter a, Parameter(alpha));
    return LowerLongFunction(lowering, *this, a, operand, to);
  }
  ASSIGN_OR_RETURN(const Lowered x, lowering.Within16Bits(operand));
  const Interval& codes = x.type.interval;
  Recipe recipe{.function = function,
                .zero_in = x.type.zero_point,
                .zero_out = to.zero_point,
                .first = codes.lo,
                .count = codes.hi - codes.lo + 1,
                .lo = to.interval.lo,
                .hi = to.interval.hi};
  ASSIGN_OR_RETURN(recipe.alpha, Parameter(alpha));
  ASSIGN_OR_RETURN(recipe.beta, Parameter(beta));
  ASSIGN_OR_RETURN(recipe.in, RecipeScaleOf(x.type.scale));
  ASSIGN_OR_RETURN(recipe.out, RecipeScaleOf(to.scale));
  ASSIGN_OR_RETURN(const tally::ValueId table, lowering.builder().Constant(recipe));
  return lowering.builder().Op(Opcode::kTable, {x.id, table}, TableAttrs{.offset = codes.lo});
}

// No recipe has it, and it needs none: the entries are rational.
LoweredResult Slopes::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  constexpr int64_t kMostEntries = 256;  // a longer table is read slower than it is computed
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  if (x.type.interval.hi - x.type.interval.lo >= kMostEntries) return LowerByProducts(lowering, *this, x, to);
  std::vector<int64_t> entries;
  for (int64_t code = x.type.interval.lo; code <= x.type.interval.hi; ++code) {
    const int64_t centered = code - x.type.zero_point;
    const int64_t value = Scaled(centered, centered < 0 ? below : above, x.type.scale, to.scale);
    entries.push_back(std::clamp(value + to.zero_point, to.interval.lo, to.interval.hi));
  }
  ASSIGN_OR_RETURN(const tally::ValueId table, lowering.VectorConstant(entries));
  return lowering.builder().Op(Opcode::kTable, {x.id, table}, TableAttrs{.offset = x.type.interval.lo});
}

}  // namespace tally::quant
