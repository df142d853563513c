#include "base/rescale.h"
#include "ops/indexing.h"
#include "ops/linear/attrs.h"
#include "ops/linear/deformable_tap.h"
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
  const Operand<Int>&x = c.operands[0], &w = c.operands[1], &offset = c.operands[2];
  const Result<Int>& y = c.results[0];
  const int64_t IC = w.shape()[1], KH = w.shape()[2], KW = w.shape()[3];
  const int64_t H = x.shape()[2], W = x.shape()[3];
  const int64_t OPG = w.shape()[0] / attrs.groups, COG = x.shape()[1] / attrs.offset_groups;
  const Int one(int64_t{1} << attrs.offset_fraction);
  const bool zero_samples = attrs.border == DeformableBorder::kZeroSamples;
  for (const int64_t i : c.elements()) {
    const auto [n, oc, p, q, unused4, unused5, unused6, unused7] = Unflatten(i, y.shape());
    Int acc(int64_t{0});
    for (int64_t ic = 0; ic < IC; ++ic) {
      const int64_t channel = oc / OPG * IC + ic;
      for (int64_t ki = 0; ki < KH; ++ki) {
        for (int64_t kj = 0; kj < KW; ++kj) {
          const int64_t k = (channel / COG * KH + ki) * KW + kj;
          const int64_t h = p * attrs.stride[0] - attrs.padding[0] + ki * attrs.dilation[0];
          const int64_t l = q * attrs.stride[1] - attrs.padding[1] + kj * attrs.dilation[1];
          const Int v(Int(h) * one + offset[Flatten({n, 2 * k, p, q}, offset.shape())]);
          const Int u(Int(l) * one + offset[Flatten({n, 2 * k + 1, p, q}, offset.shape())]);
          Int tap = DeformableTap<Int>(v, u, one, zero_samples, H, W, [&, n = n](int64_t a, int64_t b) {
            return x[Flatten({n, channel, a, b}, x.shape())];
          });
          if (c.operands.size() == 4)
            tap = Int(tap * c.operands[3][Flatten({n, k, p, q}, c.operands[3].shape())]);
          acc = Int(acc + w[Flatten({oc, ic, ki, kj}, w.shape())] * tap);
        }
      }
    }
    y.Set(i, RoundShift<Int>(Rounding::kHalfUp, acc, static_cast<int>(attrs.shift), false));
  }
}

TALLY_REFERENCE(DeformableConv2d);

}  // namespace tally
