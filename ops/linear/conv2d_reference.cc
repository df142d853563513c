#include "ops/indexing.h"
#include "ops/linear/attrs.h"
#include "ops/reference.h"

namespace tally {

// y[n, oc, p, q] = sum over ic, ki, kj of pad(n, oc / OPG * IC + ic, h, v) * w[oc, ic, ki, kj] + bias[oc]
// where h = p * SH - PH + ki * DH and v = q * SW - PW + kj * DW,
//       pad(n, j, h, v) = x[n, j, h, v], or 0 outside x,
//       IC = C / groups and OPG = OC / groups.
template <typename Int>
void ReferenceConv2d(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<Conv2dAttrs>();
  const Operand<Int>&x = c.operands[0], &w = c.operands[1];
  const Result<Int>& y = c.results[0];
  const int64_t IC = w.shape()[1], KH = w.shape()[2], KW = w.shape()[3];
  const int64_t H = x.shape()[2], W = x.shape()[3];
  const int64_t OPG = w.shape()[0] / attrs.groups;
  for (const int64_t i : c.elements()) {
    const auto [n, oc, p, q, unused4, unused5, unused6, unused7] = Unflatten(i, y.shape());
    Int acc = 0;
    for (int64_t ic = 0; ic < IC; ++ic) {
      for (int64_t ki = 0; ki < KH; ++ki) {
        const int64_t h = p * attrs.stride[0] - attrs.padding[0] + ki * attrs.dilation[0];
        if (h < 0 || h >= H) continue;
        for (int64_t kj = 0; kj < KW; ++kj) {
          const int64_t v = q * attrs.stride[1] - attrs.padding[1] + kj * attrs.dilation[1];
          if (v < 0 || v >= W) continue;
          acc = Int(acc + x[Flatten({n, oc / OPG * IC + ic, h, v}, x.shape())] *
                              w[Flatten({oc, ic, ki, kj}, w.shape())]);
        }
      }
    }
    if (c.operands.size() == 3) acc = Int(acc + c.operands[2][oc]);
    y.Set(i, acc);
  }
}

TALLY_REFERENCE(Conv2d);

}  // namespace tally
