#include "base/rescale.h"
#include "ops/linear/attrs.h"
#include "ops/linear/deformable_taps.h"
#include "ops/reference.h"

namespace tally {

// y[n, oc, p, q] = round(sum over ic, ki, kj of w[oc, ic, ki, kj] * mask[n, k, p, q] * tap / 2^shift), where
//   tap = x[n, oc / OPG * IC + ic, v, u] between pixels, times 2^(2 * offset_fraction),
//   v   = p * SH - PT + ki * DH + offset[n, 2 * k, p, q] / 2^offset_fraction,
//   u   = q * SW - PL + kj * DW + offset[n, 2 * k + 1, p, q] / 2^offset_fraction, and
//   k   = (channel's offset group * KH + ki) * KW + kj.
template <typename Int>
void ReferenceDeformableConv2d(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<DeformableConv2dAttrs>();
  const Operand<Int>& w = c.operands[1];
  const Result<Int>& y = c.results[0];
  const int64_t IC = w.shape()[1], KH = w.shape()[2], KW = w.shape()[3];
  for (const int64_t i : c.elements()) {
    const Index d = Unflatten(i, y.shape());
    const DeformableTaps<Int> taps(c.operands, attrs, d);
    Int acc(int64_t{0});
    for (int64_t ic = 0; ic < IC; ++ic) {
      for (int64_t ki = 0; ki < KH; ++ki) {
        for (int64_t kj = 0; kj < KW; ++kj) {
          acc = Int(acc + w[Flatten({d[1], ic, ki, kj}, w.shape())] * taps.At(ic, ki, kj));
        }
      }
    }
    y.Set(i, RoundShift<Int>(Rounding::kHalfUp, acc, static_cast<int>(attrs.shift), false));
  }
}

TALLY_REFERENCE(DeformableConv2d);

}  // namespace tally
