// The exponential of integers that are too wide for a table of all their values: one table of the upper bits
// times one of the lower bits.
#include <algorithm>

#include "base/int_math.h"
#include "ops/common/compose.h"
#include "ops/elementwise/attrs.h"
#include "ops/lowerings.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"
#include "ops/table/lowering/attrs.h"

namespace tally {
namespace {

constexpr int64_t kLowerOne = int64_t{1} << 30;  // in an entry for the lower bits, which reach from 1 to 2
constexpr int64_t kUpperMax = (int64_t{1} << 31) - 1;

// The most lower bits, up to 16, with 2^bits in <= 11/16, which is less than ln 2.
int64_t LowerBits(const RecipeScale& in) {
  int64_t bits = 0;
  while (bits < 16 && Int128{16 * in.multiplier} << (bits + 1) <= Int128{11} << in.shift) ++bits;
  return bits;
}

// round(exp(i in) / out) of every value i that x has.
absl::StatusOr<Value> Exponential(Composition& c, Value x, const RecipeScale& in, const RecipeScale& out,
                                  int64_t max) {
  const Interval range = c.interval(x);
  ASSIGN_OR_RETURN(const Value table, c.Constant(Recipe{.function = RecipeFunction::kExp,
                                                        .in = in,
                                                        .out = out,
                                                        .first = range.lo,
                                                        .count = range.hi - range.lo + 1,
                                                        .lo = 0,
                                                        .hi = max}));
  return c.Apply(Opcode::kTable, {x, table}, TableAttrs{.offset = range.lo});
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerWideExp(Composition& c, std::span<const Value> operands,
                                                const Attributes& attributes) {
  const auto attrs = Unpack<WideAttrs>(attributes);
  const RecipeScale in = {attrs.in[0], attrs.in[1]}, out = {attrs.out[0], attrs.out[1]};
  if (in.multiplier < 1 || in.shift > 62) return Meaningless("in is not a scale");
  Value x = operands[0];
  if (attrs.zero_in != 0) {
    ASSIGN_OR_RETURN(x, c.Apply(Opcode::kBroadcastSub, {x, c.Constant({}, {attrs.zero_in})}));
  }
  const int64_t bits = LowerBits(in);
  // A value that an upper entry cannot hold is above hi.
  const int64_t most = std::max<int64_t>(attrs.hi - attrs.zero_out, 0);
  const int64_t guard = std::min<int64_t>(30 - BitLength(static_cast<uint64_t>(most)), 62 - out.shift);
  if (guard < 0) return Meaningless("hi - zero_out is 2^30 or more");
  ASSIGN_OR_RETURN(const Value upper, c.Apply(Opcode::kShiftRight, {x, c.Constant({}, {bits})},
                                              ShiftRightAttrs{Rounding::kFloor}));
  const Interval range = c.interval(upper);
  if (range.Width() >= kMaxRecipeEntries) {
    return Meaningless(absl::StrCat("x in ", c.interval(x).ToString(), " has more than 65536 times 2^", bits,
                                    " values: clip it first"));
  }
  ASSIGN_OR_RETURN(const Value lower,
                   c.Apply(Opcode::kBitwiseAnd, {x, c.Constant({}, {(int64_t{1} << bits) - 1})}));
  ASSIGN_OR_RETURN(const Value a,
                   Exponential(c, upper, {in.multiplier, std::max<int64_t>(in.shift - bits, 0)},
                               {out.multiplier, out.shift + guard}, kUpperMax));
  ASSIGN_OR_RETURN(const Value b, Exponential(c, lower, in, {1, 30}, 2 * kLowerOne));
  return One(c.Apply(
      Opcode::kMulshift, {a, b},
      MulshiftAttrs{.shift = 30 + guard, .zero_out = attrs.zero_out, .lo = attrs.lo, .hi = attrs.hi}));
}

}  // namespace tally
