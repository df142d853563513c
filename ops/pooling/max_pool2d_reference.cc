#include <algorithm>

#include "ops/indexing.h"
#include "ops/pooling/attrs.h"
#include "ops/reference.h"

namespace tally {

// y[n, i, p, q] = max of x[n, i, h, v] over h in [p * SH - PH, p * SH - PH + PSH) and
//                 v in [q * SW - PW, q * SW - PW + PSW), positions outside x left out.
// The constraints leave no window empty, so there is no value of padding that could escape.
template <typename Int>
void ReferenceMaxPool2d(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<MaxPool2dAttrs>();
  const Operand<Int>& x = c.operands[0];
  const Result<Int>& y = c.results[0];
  const int64_t H = x.shape()[2], W = x.shape()[3];
  for (const int64_t o : c.elements()) {
    const auto [n, i, p, q, unused4, unused5, unused6, unused7] = Unflatten(o, y.shape());
    const int64_t top = p * attrs.strides[0] - attrs.padding_of(0);
    const int64_t left = q * attrs.strides[1] - attrs.padding_of(1);
    const int64_t first_h = std::max<int64_t>(top, 0), end_h = std::min(top + attrs.pool_size[0], H);
    const int64_t first_v = std::max<int64_t>(left, 0), end_v = std::min(left + attrs.pool_size[1], W);
    Int greatest = x[Flatten({n, i, first_h, first_v}, x.shape())];
    for (int64_t h = first_h; h < end_h; ++h) {
      for (int64_t v = first_v; v < end_v; ++v) {
        greatest = std::max(greatest, x[Flatten({n, i, h, v}, x.shape())]);
      }
    }
    y.Set(o, greatest);
  }
}

TALLY_REFERENCE(MaxPool2d);

}  // namespace tally
