// The elements that one element of an attention reads.
#include "ops/attention/attrs.h"
#include "ops/attention/rules.h"

namespace tally {
namespace {

// The matrix of the batch of the element; axes are counted from the last, and one may have a single matrix.
Region MatrixOf(const ReadContext& c, int operand) {
  const Shape& x = c.shape(operand);
  const Index d = c.place();
  const int missing = c.results[0].shape.rank() - x.rank();
  Region region = WholeOf(x);
  for (int axis = 0; axis < x.rank() - 2; ++axis) region.Set(axis, x[axis] == 1 ? 0 : d[missing + axis]);
  return region;
}

int64_t QueryOf(const ReadContext& c) { return c.place()[c.results[0].shape.rank() - 2]; }

}  // namespace

Region QueryRow(const ReadContext& c, int operand) {
  Region region = MatrixOf(c, operand);
  const int axis = region.rank - 2;
  if (axis >= 0) region.Set(axis, c.shape(operand)[axis] == 1 ? 0 : QueryOf(c));
  return region;
}

Region KeysOfBatch(const ReadContext& c, int operand) { return MatrixOf(c, operand); }

Region ColumnOfValues(const ReadContext& c, int operand) {
  Region region = MatrixOf(c, operand);
  region.Set(region.rank - 1, c.place()[c.results[0].shape.rank() - 1]);
  return region;
}

}  // namespace tally
