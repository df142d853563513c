// Matrices with elements outside of a diagonal band replaced by 0.
#include "ops/common/compose.h"
#include "ops/elementwise/attrs.h"
#include "ops/layout/lowering/attrs.h"
#include "ops/lowerings.h"

namespace tally {
namespace {

// 1 where distance >= least (sign 1) or distance <= -least (sign -1), else 0.
absl::StatusOr<Value> AtLeast(Composition& c, Value distance, int64_t sign, int64_t least) {
  ASSIGN_OR_RETURN(const Value directed, c.Apply(Opcode::kBroadcastMul, {distance, c.Constant({}, {sign})}));
  ASSIGN_OR_RETURN(const Value excess,
                   c.Apply(Opcode::kBroadcastSub, {directed, c.Constant({}, {least - 1})}));
  return c.Apply(Opcode::kClip, {excess}, ClipAttrs{0, 1});
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerBand(Composition& c, std::span<const Value> operands,
                                             const Attributes& attributes) {
  const auto attrs = Unpack<BandAttrs>(attributes);
  const Shape& x = c.shape(operands[0]);
  if (x.rank() < 2) return Meaningless(absl::StrCat(x.ToString(), " is not a matrix"));
  const int64_t rows = x[x.rank() - 2], columns = x[x.rank() - 1];
  ASSIGN_OR_RETURN(const Value row, c.Apply(Opcode::kIota, {}, IotaAttrs{.shape = {rows, 1}}));
  ASSIGN_OR_RETURN(const Value column, c.Apply(Opcode::kIota, {}, IotaAttrs{.shape = {columns}}));
  ASSIGN_OR_RETURN(const Value distance, c.Apply(Opcode::kBroadcastSub, {column, row}));
  Value y = operands[0];
  for (const int64_t lowest : attrs.lowest) {
    ASSIGN_OR_RETURN(const Value keep, AtLeast(c, distance, 1, lowest));
    ASSIGN_OR_RETURN(y, c.Apply(Opcode::kBroadcastMul, {y, keep}));
  }
  for (const int64_t highest : attrs.highest) {
    ASSIGN_OR_RETURN(const Value keep, AtLeast(c, distance, -1, -highest));
    ASSIGN_OR_RETURN(y, c.Apply(Opcode::kBroadcastMul, {y, keep}));
  }
  return std::vector<Value>{y};
}

}  // namespace tally
