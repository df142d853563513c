// Logarithms of integers that are too wide for a table of all their values.
#include <algorithm>

#include "ops/common/binade.h"
#include "ops/common/compose.h"
#include "ops/comparison/attrs.h"
#include "ops/elementwise/attrs.h"
#include "ops/lowerings.h"
#include "ops/table/attrs.h"
#include "ops/table/lowering/attrs.h"

namespace tally {
namespace {

constexpr int64_t kLogExponents = 47;
constexpr int64_t kLogSteps = kBinadeEntries - 1;  // a mantissa's
constexpr Interval kLogElement = TensorLimit(Profile::kCore);

// round(ln(1 + i / 1024) / unit)
absl::StatusOr<Value> Mantissas(Composition& c, const RecipeScale& unit) {
  return c.Constant(Recipe{.function = RecipeFunction::kLog,
                           .in = {.multiplier = 1, .shift = FloorLog2Of(kLogSteps)},
                           .out = unit,
                           .first = kLogSteps,
                           .count = kBinadeEntries,
                           .lo = 0,
                           .hi = int64_t{1} << 31});
}

// round(ln(2^k in) / unit): a recipe of one entry.
absl::StatusOr<int64_t> LogOfBinade(int64_t k, RecipeScale in, const RecipeScale& unit) {
  const int64_t up = std::max<int64_t>(k - in.shift, 0);
  in.shift = std::max<int64_t>(in.shift - k, 0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> entry, Expand({.function = RecipeFunction::kLog,
                                                             .in = in,
                                                             .out = unit,
                                                             .first = int64_t{1} << up,
                                                             .lo = kLogElement.lo,
                                                             .hi = kLogElement.hi}));
  return entry[0];
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerWideLog(Composition& c, std::span<const Value> operands,
                                                const Attributes& attributes) {
  const auto attrs = Unpack<WideAttrs>(attributes);
  const RecipeScale in = {attrs.in[0], attrs.in[1]}, out = {attrs.out[0], attrs.out[1]};
  Value x = operands[0];
  if (attrs.zero_in != 0) {
    ASSIGN_OR_RETURN(x, c.Apply(Opcode::kBroadcastSub, {x, c.Constant({}, {attrs.zero_in})}));
  }
  const Interval range = c.interval(x);
  if (!kLogElement.Contains(range) || range.hi < 1) {
    return Meaningless(absl::StrCat("no logarithm of x - zero_in in ", range.ToString()));
  }
  // As fine as the mantissas' 31 bits allow: ln 2 / unit < 2^31.
  const RecipeScale unit = {out.multiplier, 31 + FloorLog2Of(std::max<int64_t>(out.multiplier, 1))};
  const int64_t shift = unit.shift - out.shift;
  if (shift < 0) return Meaningless("the result's scale is finer than 31 bits of a mantissa");
  ASSIGN_OR_RETURN(const Value mantissas, Mantissas(c, unit));
  std::vector<int64_t> exponents(kLogExponents, 0);
  for (int k = FloorLog2Of(std::max<int64_t>(range.lo, 1)); k <= FloorLog2Of(range.hi); ++k) {
    ASSIGN_OR_RETURN(exponents[k], LogOfBinade(k, in, unit));
  }
  Value positive = x;
  if (range.lo < 1) {
    ASSIGN_OR_RETURN(positive, c.Apply(Opcode::kClip, {x}, ClipAttrs{1, range.hi}));
  }
  ASSIGN_OR_RETURN(Value y, c.Apply(Opcode::kNormalizedTable,
                                    {positive, mantissas, c.Constant({kLogExponents}, exponents)},
                                    NormalizedTableAttrs{.combine = Combine::kSum,
                                                         .shift = shift,
                                                         .zero_out = attrs.zero_out,
                                                         .lo = attrs.lo,
                                                         .hi = attrs.hi}));
  if (range.lo < 1) {
    ASSIGN_OR_RETURN(const Value is_positive,
                     c.Apply(Opcode::kCompare, {x, c.Constant({}, {0})}, CompareAttrs{Comparison::kGreater}));
    ASSIGN_OR_RETURN(y, c.Apply(Opcode::kSelect, {is_positive, y, c.Constant({}, {attrs.lo})}));
  }
  return std::vector<Value>{y};
}

}  // namespace tally
