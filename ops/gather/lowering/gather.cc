// Lowerings that read slices at computed positions.
#include "ops/common/compose.h"
#include "ops/elementwise/attrs.h"
#include "ops/gather/lowering/attrs.h"
#include "ops/lowerings.h"

namespace tally {

// A negative index is 0 after the clip, so that gather never counts from the back.
absl::StatusOr<std::vector<Value>> LowerTake(Composition& c, std::span<const Value> operands,
                                             const Attributes& attributes) {
  const auto attrs = Unpack<TakeAttrs>(attributes);
  Value x = operands[0];
  int axis = 0;
  if (attrs.axis.empty()) {
    ASSIGN_OR_RETURN(x, Reshape(c, x, {c.shape(x).num_elements()}));
  } else {
    ASSIGN_OR_RETURN(axis, AxisOf(attrs.axis[0], c.shape(x).rank()));
  }
  ASSIGN_OR_RETURN(const Value positions,
                   c.Apply(Opcode::kClip, {operands[1]}, ClipAttrs{0, c.shape(x)[axis] - 1}));
  return One(c.Apply(Opcode::kGather, {x, positions}, GatherAttrs{axis}));
}

absl::StatusOr<std::vector<Value>> LowerEmbedding(Composition& c, std::span<const Value> operands,
                                                  const Attributes&) {
  if (c.shape(operands[0]).rank() == 0) return Meaningless("a scalar has no rows");
  return One(c.Apply(Opcode::kGather, {operands[0], operands[1]}, GatherAttrs{0}));
}

absl::StatusOr<std::vector<Value>> LowerDynamicSlice(Composition& c, std::span<const Value> operands,
                                                     const Attributes& attributes) {
  const auto attrs = Unpack<DynamicSliceAttrs>(attributes);
  const Shape& x = c.shape(operands[0]);
  ASSIGN_OR_RETURN(const int axis, AxisOf(attrs.axis, x.rank()));
  if (attrs.size > x[axis]) return Meaningless(absl::StrCat(attrs.size, " of ", x[axis], " elements"));
  if (c.shape(operands[1]).num_elements() != 1) return Meaningless("begin is not a single element");
  // Clipped first, because a constant of 64 bits has no other shape.
  ASSIGN_OR_RETURN(const Value clipped,
                   c.Apply(Opcode::kClip, {operands[1]}, ClipAttrs{0, x[axis] - attrs.size}));
  ASSIGN_OR_RETURN(const Value begin, Reshape(c, clipped, {1}));
  ASSIGN_OR_RETURN(const Value steps, c.Apply(Opcode::kIota, {}, IotaAttrs{.shape = {attrs.size}}));
  ASSIGN_OR_RETURN(const Value positions, c.Apply(Opcode::kBroadcastAdd, {begin, steps}));
  return One(c.Apply(Opcode::kGather, {operands[0], positions}, GatherAttrs{axis}));
}

}  // namespace tally
