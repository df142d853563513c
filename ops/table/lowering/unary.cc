// Every function of one value of up to 16 bits: a table with a recipe.
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/labels.h"
#include "ops/lowerings.h"
#include "ops/table/attrs.h"
#include "ops/table/lowering/attrs.h"

namespace tally {

absl::StatusOr<std::vector<Value>> LowerUnary(Composition& c, std::span<const Value> operands,
                                              const Attributes& attributes) {
  const auto attrs = Unpack<UnaryAttrs>(attributes);
  const Interval x = c.interval(operands[0]);
  if (!TensorLimit(Profile::kCore).Contains(x) || x.Width() >= kMaxRecipeEntries) {
    return MakeError(label::lowering_operands, absl::StrCat("the operand has more than ", kMaxRecipeEntries,
                                                            " values: rescale it first"));
  }
  const Recipe recipe = {.function = attrs.function,
                         .alpha = {attrs.alpha[0], attrs.alpha[1]},
                         .beta = {attrs.beta[0], attrs.beta[1]},
                         .in = {attrs.in[0], attrs.in[1]},
                         .out = {attrs.out[0], attrs.out[1]},
                         .zero_in = attrs.zero_in,
                         .zero_out = attrs.zero_out,
                         .first = x.lo,
                         .count = x.hi - x.lo + 1,
                         .lo = attrs.lo,
                         .hi = attrs.hi};
  ASSIGN_OR_RETURN(const Value table, c.Constant(recipe));
  ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kTable, {operands[0], table}, TableAttrs{.offset = x.lo}));
  return std::vector<Value>{y};
}

}  // namespace tally
