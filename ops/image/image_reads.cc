// The elements that one element of a resampled image reads.
#include "ops/image/attrs.h"
#include "ops/image/rules.h"

namespace tally {
namespace {

int AxisOf(const ReadContext& c) {
  const int64_t axis = c.attrs<ResampleAttrs>().axis;
  return static_cast<int>(axis < 0 ? axis + c.shape(0).rank() : axis);
}

}  // namespace

Region ResampledLine(const ReadContext& c, int) {
  const Index d = c.place();
  Region region = WholeOf(c.shape(0));
  for (int axis = 0; axis < region.rank; ++axis) {
    if (axis != AxisOf(c)) region.Set(axis, d[axis]);
  }
  return region;
}

Region RowOfTaps(const ReadContext& c, int operand) {
  Region region = WholeOf(c.shape(operand));
  region.Set(0, c.place()[AxisOf(c)]);
  return region;
}

}  // namespace tally
