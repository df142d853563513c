#include "ops/image/attrs.h"
#include "ops/movement.h"

namespace tally {

// y[n, c, h, w] = x[n, c, floor(h / scale), floor(w / scale)]
template <typename Int>
void ReferenceUpsampling(const ReferenceContext<Int>& c) {
  const int64_t scale = c.template attrs<UpsamplingAttrs>().scale;
  Move(c, [&](const Index& d) { return Index{d[0], d[1], d[2] / scale, d[3] / scale}; });
}

TALLY_REFERENCE(Upsampling);

}  // namespace tally
