// Lowerings whose number of results depends on the data, with a static bound and a count.
#include "ops/common/compose.h"
#include "ops/gather/lowering/attrs.h"
#include "ops/lowerings.h"

namespace tally {

absl::StatusOr<std::vector<Value>> LowerCompress(Composition& c, std::span<const Value> operands,
                                                 const Attributes& attributes) {
  const auto attrs = Unpack<CompressAttrs>(attributes);
  Value x = operands[0], mask = operands[1];
  int axis = 0;
  if (attrs.axis.empty()) {
    ASSIGN_OR_RETURN(x, Reshape(c, x, {c.shape(x).num_elements()}));
  } else {
    ASSIGN_OR_RETURN(axis, AxisOf(attrs.axis[0], c.shape(x).rank()));
  }
  const int64_t n = c.shape(x)[axis];
  if (c.shape(mask).rank() != 1 || c.shape(mask)[0] > n) {
    return Meaningless(absl::StrCat("mask ", c.shape(mask).ToString(), " for ", n, " slices"));
  }
  if (const int64_t missing = n - c.shape(mask)[0]; missing > 0) {
    ASSIGN_OR_RETURN(mask, c.Apply(Opcode::kPad, {mask}, PadAttrs{.before = {0}, .after = {missing}}));
  }
  return c.Emit(Opcode::kCompact, {x, mask}, Pack(CompactAttrs{axis, attrs.bound, attrs.value}));
}

absl::StatusOr<std::vector<Value>> LowerNonzero(Composition& c, std::span<const Value> operands,
                                                const Attributes& attributes) {
  const auto attrs = Unpack<NonzeroAttrs>(attributes);
  const Shape x = c.shape(operands[0]);
  if (x.rank() == 0) return Meaningless("a scalar has no indices");
  const int64_t n = x.num_elements();
  std::vector<Value> columns;
  for (int axis = 0; axis < x.rank(); ++axis) {
    ASSIGN_OR_RETURN(const Value index,
                     c.Apply(Opcode::kIota, {}, IotaAttrs{.shape = DimsOf(x), .axis = axis}));
    ASSIGN_OR_RETURN(const Value column, Reshape(c, index, {n, 1}));
    columns.push_back(column);
  }
  ASSIGN_OR_RETURN(const Value indices, c.Apply(Opcode::kConcatenate, columns, ConcatenateAttrs{.axis = 1}));
  ASSIGN_OR_RETURN(const Value mask, Reshape(c, operands[0], {n}));
  return c.Emit(Opcode::kCompact, {indices, mask}, Pack(CompactAttrs{0, attrs.bound, attrs.value}));
}

}  // namespace tally
