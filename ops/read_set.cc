#include "ops/read_set.h"

namespace tally {

Region WholeOf(const Shape& shape) {
  Region region = {.rank = shape.rank()};
  for (int axis = 0; axis < shape.rank(); ++axis) region.Set(axis, 0, shape[axis]);
  return region;
}

Region Everything(const ReadContext& c, int operand) { return WholeOf(c.shape(operand)); }

Region SameElement(const ReadContext& c, int operand) {
  const Shape& x = c.shape(operand);
  const Index d = Unflatten(c.element, x);
  Region region = {.rank = x.rank()};
  for (int axis = 0; axis < x.rank(); ++axis) region.Set(axis, d[axis]);
  return region;
}

Region BroadcastElement(const ReadContext& c, int operand) {
  const Shape& x = c.shape(operand);
  const Index d = c.place();
  const int missing = c.results[static_cast<size_t>(c.result)].shape.rank() - x.rank();
  Region region = {.rank = x.rank()};
  for (int axis = 0; axis < x.rank(); ++axis) region.Set(axis, x[axis] == 1 ? 0 : d[missing + axis]);
  return region;
}

}  // namespace tally
