#include "ops/common/compose.h"
#include "ops/comparison/attrs.h"
#include "ops/gather/lowering/attrs.h"
#include "ops/lowerings.h"

namespace tally {

absl::StatusOr<std::vector<Value>> LowerOneHot(Composition& c, std::span<const Value> operands,
                                               const Attributes& attributes) {
  const auto attrs = Unpack<OneHotAttrs>(attributes);
  Dims dims = DimsOf(c.shape(operands[0]));
  ASSIGN_OR_RETURN(const int axis, AxisOf(attrs.axis, static_cast<int>(dims.size()) + 1));
  for (const Value value : operands.subspan(1)) {
    if (c.shape(value).num_elements() != 1) return Meaningless("on and off are single elements");
  }
  dims.insert(dims.begin() + axis, 1);
  ASSIGN_OR_RETURN(const Value indices, Reshape(c, operands[0], dims));
  Dims positions(dims.size(), 1);
  positions[axis] = attrs.depth;
  const auto equal_from = [&](int64_t start) -> absl::StatusOr<Value> {
    ASSIGN_OR_RETURN(const Value position,
                     c.Apply(Opcode::kIota, {}, IotaAttrs{.shape = positions, .axis = axis, .start = start}));
    return c.Apply(Opcode::kCompare, {indices, position}, CompareAttrs{Comparison::kEqual});
  };
  ASSIGN_OR_RETURN(Value mask, equal_from(0));
  if (attrs.from_back) {
    ASSIGN_OR_RETURN(const Value from_back, equal_from(-attrs.depth));
    ASSIGN_OR_RETURN(mask, c.Apply(Opcode::kBroadcastMax, {mask, from_back}));
  }
  ASSIGN_OR_RETURN(const Value on, Reshape(c, operands[1], {}));
  ASSIGN_OR_RETURN(const Value off, Reshape(c, operands[2], {}));
  return One(c.Apply(Opcode::kSelect, {mask, on, off}));
}

}  // namespace tally
