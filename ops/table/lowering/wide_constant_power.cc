// Powers with one constant real exponent, of integers that are too wide for a table of all their values.
#include <algorithm>
#include <numeric>

#include "base/int_math.h"
#include "ops/common/binade.h"
#include "ops/common/compose.h"
#include "ops/comparison/attrs.h"
#include "ops/elementwise/attrs.h"
#include "ops/lowerings.h"
#include "ops/table/attrs.h"
#include "ops/table/lowering/attrs.h"

namespace tally {
namespace {

constexpr int64_t kPowerExponents = 47;
constexpr int64_t kPowerSteps = kBinadeEntries - 1;  // a mantissa's
constexpr int64_t kMaxExponent = 16;
constexpr int64_t kMaxOfBinade = (int64_t{1} << 31) - 1;
constexpr Interval kPowerElement = TensorLimit(Profile::kCore);

// How the power is cut: mantissas have `fine` bits below the point, the product with a binade's power has
// `shift`.
struct Cut {
  RecipeParameter power;
  int64_t fine = 31;
  int64_t shift = 0;
  RecipeScale unit;  // for a binade's power
};

absl::StatusOr<Cut> CutOf(const WideConstantPowerAttrs& attrs) {
  const auto [p, q] = std::pair{attrs.exponent[0], attrs.exponent[1]};
  if (q < 1 || std::abs(p) > kMaxExponent * q) return Meaningless("the exponent is not within [-16, 16]");
  const int64_t divisor = std::gcd(p, q);
  Cut cut = {.power = {p / divisor, q / divisor}};
  // A mantissa's power is in [1, 2^reach] or in [2^-reach, 1]; as integers these have up to 31 bits.
  const int64_t reach = CeilDiv(std::abs(p), q);
  if (p > 0) cut.fine -= reach;
  // A value that a binade's power cannot hold is above hi.
  const int64_t most = std::max<int64_t>(attrs.hi - attrs.zero_out, 0);
  cut.shift = std::min(61 - reach - BitLength(static_cast<uint64_t>(most)), 62 - attrs.out[1] + cut.fine);
  const int64_t below = attrs.out[1] + cut.shift - cut.fine;  // bits of the binades' unit below the point
  cut.unit = {attrs.out[0], std::max<int64_t>(below, 0)};
  if (below < -31 || (below < 0 && (cut.unit.multiplier <<= -below) > kMaxOfBinade) || cut.shift < 0) {
    return Meaningless("hi - zero_out is too large for the scale of the result");
  }
  return cut;
}

// round(2^fine * (1 + i / 1024)^a)
absl::StatusOr<Value> Mantissas(Composition& c, const Cut& cut) {
  return c.Constant(Recipe{.function = RecipeFunction::kPower,
                           .alpha = cut.power,
                           .in = {.multiplier = 1, .shift = FloorLog2Of(kPowerSteps)},
                           .out = {1, cut.fine},
                           .first = kPowerSteps,
                           .count = kBinadeEntries,
                           .lo = 0,
                           .hi = int64_t{1} << 31});
}

// min(round((2^k in)^a / unit), 2^31 - 1): a recipe of one entry.
absl::StatusOr<int64_t> PowerOfBinade(int64_t k, RecipeScale in, const Cut& cut) {
  const int64_t up = std::max<int64_t>(k - in.shift, 0);
  in.shift = std::max<int64_t>(in.shift - k, 0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> entry, Expand({.function = RecipeFunction::kPower,
                                                             .alpha = cut.power,
                                                             .in = in,
                                                             .out = cut.unit,
                                                             .first = int64_t{1} << up,
                                                             .lo = 0,
                                                             .hi = kMaxOfBinade}));
  return entry[0];
}

// The result for 0.
absl::StatusOr<int64_t> PowerOfZero(const WideConstantPowerAttrs& attrs, const Cut& cut) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> entry, Expand({.function = RecipeFunction::kPower,
                                                             .alpha = cut.power,
                                                             .out = {attrs.out[0], attrs.out[1]},
                                                             .zero_out = attrs.zero_out,
                                                             .lo = attrs.lo,
                                                             .hi = attrs.hi}));
  return entry[0];
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerWideConstantPower(Composition& c, std::span<const Value> operands,
                                                          const Attributes& attributes) {
  const auto attrs = Unpack<WideConstantPowerAttrs>(attributes);
  ASSIGN_OR_RETURN(const Cut cut, CutOf(attrs));
  const RecipeScale in = {attrs.in[0], attrs.in[1]};
  ASSIGN_OR_RETURN(const Value x, Plus(c, operands[0], -attrs.zero_in));
  const Interval range = c.interval(x);
  if (!kPowerElement.Contains(range) || range.hi < 1) {
    return Meaningless(absl::StrCat("no power of x - zero_in in ", range.ToString()));
  }
  ASSIGN_OR_RETURN(const Value mantissas, Mantissas(c, cut));
  std::vector<int64_t> binades(kPowerExponents, 0);
  for (int k = FloorLog2Of(std::max<int64_t>(range.lo, 1)); k <= FloorLog2Of(range.hi); ++k) {
    ASSIGN_OR_RETURN(binades[k], PowerOfBinade(k, in, cut));
  }
  ASSIGN_OR_RETURN(const Value positive, Within(c, x, {1, range.hi}));
  ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kNormalizedTable,
                                          {positive, mantissas, c.Constant({kPowerExponents}, binades)},
                                          NormalizedTableAttrs{.combine = Combine::kProduct,
                                                               .shift = cut.shift,
                                                               .zero_out = attrs.zero_out,
                                                               .lo = attrs.lo,
                                                               .hi = attrs.hi}));
  if (range.lo > 0) return std::vector<Value>{y};
  ASSIGN_OR_RETURN(const int64_t zero, PowerOfZero(attrs, cut));
  ASSIGN_OR_RETURN(const Value is_positive,
                   c.Apply(Opcode::kCompare, {x, c.Constant({}, {0})}, CompareAttrs{Comparison::kGreater}));
  return One(c.Apply(Opcode::kSelect, {is_positive, y, c.Constant({}, {zero})}));
}

}  // namespace tally
