// The elements that one element of a sorted line reads.
#include "ops/sort/attrs.h"
#include "ops/sort/rules.h"

namespace tally {

template <typename Attrs>
Region SortedLine(const ReadContext& c, int) {
  const Shape& x = c.shape(0);
  const int64_t axis = c.attrs<Attrs>().axis;
  const Index d = c.place();
  Region region = WholeOf(x);
  for (int other = 0; other < x.rank(); ++other) {
    if (other != (axis < 0 ? axis + x.rank() : axis)) region.Set(other, d[other]);
  }
  return region;
}
template Region SortedLine<SortAttrs>(const ReadContext&, int);
template Region SortedLine<TopKAttrs>(const ReadContext&, int);

}  // namespace tally
