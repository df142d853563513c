// Lowerings that keep the elements and their order.
#include "ops/common/compose.h"
#include "ops/layout/lowering/attrs.h"
#include "ops/lowerings.h"

namespace tally {

absl::StatusOr<std::vector<Value>> LowerFlatten(Composition& c, std::span<const Value> operands,
                                                const Attributes&) {
  const Shape& x = c.shape(operands[0]);
  if (x.rank() == 0) return Meaningless("a scalar has no first axis to keep");
  return One(Reshape(c, operands[0], {x[0], x.stride(0)}));
}

absl::StatusOr<std::vector<Value>> LowerExpandDims(Composition& c, std::span<const Value> operands,
                                                   const Attributes& attributes) {
  const auto attrs = Unpack<ExpandDimsAttrs>(attributes);
  Dims dims = DimsOf(c.shape(operands[0]));
  ASSIGN_OR_RETURN(const int axis, AxisOf(attrs.axis, static_cast<int>(dims.size()) + 1));
  dims.insert(dims.begin() + axis, attrs.num_newaxis, 1);
  return One(Reshape(c, operands[0], dims));
}

namespace {

absl::StatusOr<Dims> Squeezed(const Shape& x, const std::vector<int64_t>& axes) {
  Dims dims;
  std::vector<bool> listed(x.rank(), false);
  for (const int64_t entry : axes) {
    ASSIGN_OR_RETURN(const int axis, AxisOf(entry, x.rank()));
    if (x[axis] != 1) return Meaningless(absl::StrCat("axis ", axis, " of ", x.ToString(), " is not 1"));
    listed[axis] = true;
  }
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axes.empty() ? x[axis] != 1 : !listed[axis]) dims.push_back(x[axis]);
  }
  return dims;
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerSqueeze(Composition& c, std::span<const Value> operands,
                                                const Attributes& attributes) {
  ASSIGN_OR_RETURN(Dims dims, Squeezed(c.shape(operands[0]), Unpack<SqueezeAttrs>(attributes).axis));
  if (dims.empty()) dims.push_back(1);  // profile cvm has no scalars
  return One(Reshape(c, operands[0], dims));
}

absl::StatusOr<std::vector<Value>> LowerSqueezeAxes(Composition& c, std::span<const Value> operands,
                                                    const Attributes& attributes) {
  ASSIGN_OR_RETURN(const Dims dims, Squeezed(c.shape(operands[0]), Unpack<AxesAttrs>(attributes).axes));
  return One(Reshape(c, operands[0], dims));
}

absl::StatusOr<std::vector<Value>> LowerUnsqueeze(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  const auto axes = Unpack<AxesAttrs>(attributes).axes;
  const Shape& x = c.shape(operands[0]);
  ASSIGN_OR_RETURN(const std::vector<bool> added, AxesOf(axes, x.rank() + static_cast<int>(axes.size())));
  Dims dims;
  int next = 0;
  for (const bool is_new : added) dims.push_back(is_new ? 1 : x[next++]);
  return One(Reshape(c, operands[0], dims));
}

absl::StatusOr<std::vector<Value>> LowerFlatten2d(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  const Dims dims = DimsOf(c.shape(operands[0]));
  const int64_t rank = std::ssize(dims), given = Unpack<AxisAttrs>(attributes).axis;
  // The axis may be the rank: everything goes in front. So -1 is the last axis, not the place after it.
  if (given < -rank || given > rank) return Meaningless(absl::StrCat("axis ", given, " for rank ", rank));
  const int64_t axis = given < 0 ? given + rank : given;
  return One(Reshape(c, operands[0], {ProductOf(dims, 0, axis), ProductOf(dims, axis, rank)}));
}

}  // namespace tally
