#include "ops/elements.h"
#include "ops/indexing.h"
#include "ops/layout/attrs.h"
#include "ops/reference.h"

namespace tally {

// y[d] = start + step * d_axis
template <typename Int>
void ReferenceIota(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<IotaAttrs>();
  const Shape& y = c.results[0].shape();
  const int64_t axis = attrs.axis < 0 ? attrs.axis + y.rank() : attrs.axis;
  ForEachElement(c, [&](int64_t i, const Index& d) {
    c.results[0].Set(i, Int(Int(attrs.start) + Int(attrs.step) * Int(d[axis])));
  });
}

// y[d] = value
template <typename Int>
void ReferenceFill(const ReferenceContext<Int>& c) {
  const Int value(c.template attrs<FillAttrs>().value);
  for (const int64_t i : c.elements()) c.results[0].Set(i, value);
}

TALLY_REFERENCE(Iota);
TALLY_REFERENCE(Fill);

}  // namespace tally
