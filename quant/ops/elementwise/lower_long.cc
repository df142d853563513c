#include "quant/ops/elementwise/lower_long.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/int_math.h"
#include "base/status_macros.h"
#include "ops/table/attrs.h"
#include "ops/table/recipe/recipe.h"
#include "quant/lower/recipe_scale.h"

namespace tally::quant {
namespace {

constexpr int64_t kMantissas = 1024, kExponents = 47;  // ops/table/spec.md: normalized_table
constexpr int kMostShift = 62, kBitsOfEntry = 31;

bool IsLogarithm(const Unary& op) {
  return op.function == RecipeFunction::kLog || op.function == RecipeFunction::kLog2;
}

// The exponent a, where op(x) is x^a.
double ExponentOf(const Unary& op) {
  switch (op.function) {
    case RecipeFunction::kSqrt: return 0.5;
    case RecipeFunction::kRsqrt: return -0.5;
    case RecipeFunction::kReciprocal: return -1;
    default: return op.alpha;
  }
}

// op at integers times 2^exponent, in steps of `out`: rounded correctly, the same on every machine.
class Entries {
 public:
  Entries(const Unary& op, const RecipeParameter& alpha) : function_(op.function), alpha_(alpha) {}

  absl::StatusOr<std::vector<int64_t>> Of(int64_t first, int64_t count, int exponent, double out) const {
    Recipe recipe{.function = function_, .alpha = alpha_, .first = first, .count = count};
    recipe.in = exponent < 0 ? RecipeScale{1, -exponent} : RecipeScale{int64_t{1} << exponent, 0};
    ASSIGN_OR_RETURN(recipe.out, RecipeScaleOf(out));
    recipe.hi = (int64_t{1} << kExponents) - 1;
    recipe.lo = -recipe.hi;
    return tally::Expand(recipe);
  }

 private:
  RecipeFunction function_;
  RecipeParameter alpha_;
};

}  // namespace

LoweredResult LowerLongFunction(Lowering& lowering, const Unary& op, const RecipeParameter& alpha,
                                const Lowered& x, const QuantizedType& to) {
  const int exponent = std::ilogb(x.type.scale);
  const Entries entries(op, alpha);
  NormalizedTableAttrs attrs{.zero_out = to.zero_point, .lo = to.interval.lo, .hi = to.interval.hi};
  // Numbers from `least` on: below it a falling power leaves the grid of its result.
  const Interval centered = Minus(x.type.interval, x.type.zero_point);
  const double most = static_cast<double>(Minus(to.interval, to.zero_point).Magnitude());
  double unit_mantissa, unit_exponent;  // steps of the two tables
  int64_t least = 1;
  if (IsLogarithm(op)) {
    attrs.combine = Combine::kSum;
    attrs.shift = std::clamp(kBitsOfEntry - 1 + std::ilogb(to.scale), 0, kMostShift);
    unit_mantissa = unit_exponent = std::ldexp(to.scale, static_cast<int>(-attrs.shift));
  } else {
    attrs.combine = Combine::kProduct;
    const double a = ExponentOf(op);
    if (a < 0) {
      const double bound = std::pow(2 * most * to.scale, 1 / a) / x.type.scale;
      least = std::clamp<int64_t>(static_cast<int64_t>(bound), 1, centered.hi);
    }
    attrs.shift = kMostShift - BitLength(static_cast<uint64_t>(4 * most));
    const int of_mantissa = a > 0 ? kBitsOfEntry - 1 : kBitsOfEntry;
    unit_mantissa = std::ldexp(1, -of_mantissa);
    unit_exponent = std::ldexp(to.scale, of_mantissa - static_cast<int>(attrs.shift));
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> mantissas,
                   entries.Of(kMantissas, kMantissas + 1, -10, unit_mantissa));
  std::vector<int64_t> exponents;
  for (int64_t k = 0; k < kExponents; ++k) {
    // Out of reach, so that any entry does.
    if (k < BitLength(static_cast<uint64_t>(least)) - 1 || int64_t{1} << k > centered.hi) {
      exponents.push_back(0);
      continue;
    }
    ASSIGN_OR_RETURN(const std::vector<int64_t> entry,
                     entries.Of(int64_t{1} << k, 1, exponent, unit_exponent));
    exponents.push_back(entry[0]);
  }
  const QuantizedType positive = {x.type.scale, 0, {least, std::max(least, centered.hi)}};
  ASSIGN_OR_RETURN(
      const tally::ValueId number,
      lowering.Rescale(x.id, {.zero_in = x.type.zero_point, .gains = {{.multiplier = 1}}, .has_ties = false},
                       positive));
  ASSIGN_OR_RETURN(const tally::ValueId m, lowering.VectorConstant(mantissas));
  ASSIGN_OR_RETURN(const tally::ValueId e, lowering.VectorConstant(exponents));
  return lowering.builder().Op(Opcode::kNormalizedTable, {number, m, e}, attrs);
}

}  // namespace tally::quant
