// Lowerings that repeat elements or permute axes.
#include <utility>

#include "ops/common/compose.h"
#include "ops/labels.h"
#include "ops/layout/lowering/attrs.h"
#include "ops/lowerings.h"

namespace tally {

// [outer, n, inner] to [outer, n, 1, inner] to [outer, n, repeats, inner]: no rank is too high for it.
absl::StatusOr<std::vector<Value>> LowerRepeat(Composition& c, std::span<const Value> operands,
                                               const Attributes& attributes) {
  const auto attrs = Unpack<RepeatAttrs>(attributes);
  const Shape& x = c.shape(operands[0]);
  ASSIGN_OR_RETURN(const int axis, AxisOf(attrs.axis, x.rank()));
  const int64_t n = x[axis], inner = x.stride(axis), outer = x.num_elements() / (n * inner);
  Dims dims = DimsOf(x);
  dims[axis] *= attrs.repeats;
  ASSIGN_OR_RETURN(const Value apart, Reshape(c, operands[0], {outer, n, 1, inner}));
  ASSIGN_OR_RETURN(const Value repeated, BroadcastTo(c, apart, {outer, n, attrs.repeats, inner}));
  return One(Reshape(c, repeated, dims));
}

absl::StatusOr<std::vector<Value>> LowerSequenceRepeat(Composition& c, std::span<const Value> operands,
                                                       const Attributes& attributes) {
  constexpr int kSequenceAxis = 5;  // from the back
  if (c.shape(operands[0]).rank() < kSequenceAxis) return Meaningless("no sequence axis");
  Dims reps(kSequenceAxis, 1);
  reps[0] = Unpack<SequenceRepeatAttrs>(attributes).repetitions;
  return One(c.Apply(Opcode::kTile, {operands[0]}, TileAttrs{reps}));
}

absl::StatusOr<std::vector<Value>> LowerExpand(Composition& c, std::span<const Value> operands,
                                               const Attributes& attributes) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(Unpack<BroadcastToAttrs>(attributes).shape));
  ASSIGN_OR_RETURN(const Shape both, BroadcastShape(c.shape(operands[0]), shape, label::lowering_operands));
  return One(BroadcastTo(c, operands[0], DimsOf(both)));
}

absl::StatusOr<std::vector<Value>> LowerBroadcastAxes(Composition& c, std::span<const Value> operands,
                                                      const Attributes& attributes) {
  const auto attrs = Unpack<BroadcastAxesAttrs>(attributes);
  const Shape& x = c.shape(operands[0]);
  const int rank = static_cast<int>(attrs.shape.size());
  if (std::ssize(attrs.axes) != x.rank()) {
    return Meaningless(absl::StrCat(attrs.axes.size(), " axes for ", x.ToString()));
  }
  Dims dims(rank, 1);
  int last = -1;
  for (int i = 0; i < x.rank(); ++i) {
    ASSIGN_OR_RETURN(const int axis, AxisOf(attrs.axes[i], rank));
    if (axis <= last) return Meaningless("axes do not ascend");
    dims[axis] = x[i];
    last = axis;
  }
  ASSIGN_OR_RETURN(const Value apart, Reshape(c, operands[0], dims));
  return One(BroadcastTo(c, apart, attrs.shape));
}

absl::StatusOr<std::vector<Value>> LowerSwapAxes(Composition& c, std::span<const Value> operands,
                                                 const Attributes& attributes) {
  const auto attrs = Unpack<SwapAxesAttrs>(attributes);
  const int rank = c.shape(operands[0]).rank();
  ASSIGN_OR_RETURN(const int first, AxisOf(attrs.first, rank));
  ASSIGN_OR_RETURN(const int second, AxisOf(attrs.second, rank));
  Dims axes = EveryAxis(rank);
  std::swap(axes[first], axes[second]);
  return One(Transpose(c, operands[0], axes));
}

}  // namespace tally
