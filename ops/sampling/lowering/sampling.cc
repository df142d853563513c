#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/elementwise/attrs.h"
#include "ops/labels.h"
#include "ops/lowerings.h"
#include "ops/sampling/lowering/attrs.h"
#include "ops/table/attrs.h"

namespace tally {

absl::StatusOr<std::vector<Value>> LowerRandomNormal(Composition& c, std::span<const Value> operands,
                                                     const Attributes& attributes) {
  const auto attrs = Unpack<RandomNormalAttrs>(attributes);
  const Shape& table = c.shape(operands[0]);
  if (c.constant(operands[0]) == nullptr || table.rank() != 1) {
    return MakeError(label::lowering_operands,
                     absl::StrCat("table ", table.ToString(), " is not a constant list"));
  }
  ASSIGN_OR_RETURN(const Value k,
                   c.Apply(Opcode::kRandomUniform, {operands.begin() + 1, operands.end()},
                           RandomUniformAttrs{attrs.shape, attrs.seed, attrs.layer, 0, table[0] - 1}));
  ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kTable, {k, operands[0]}, TableAttrs{.offset = 0}));
  return std::vector<Value>{y};
}

// The integer threshold - u is positive exactly where u < threshold.
absl::StatusOr<std::vector<Value>> LowerRandomBernoulli(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  const auto attrs = Unpack<RandomBernoulliAttrs>(attributes);
  ASSIGN_OR_RETURN(const Value u,
                   c.Apply(Opcode::kRandomUniform, {operands.begin(), operands.end()},
                           RandomUniformAttrs{attrs.shape, attrs.seed, attrs.layer, 0, kMaxWord}));
  ASSIGN_OR_RETURN(const Value d, c.Apply(Opcode::kBroadcastSub, {c.Constant({}, {attrs.threshold}), u}));
  ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kClip, {d}, ClipAttrs{0, 1}));
  return std::vector<Value>{y};
}

}  // namespace tally
