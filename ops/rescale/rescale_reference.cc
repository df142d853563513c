#include "base/rescale.h"
#include "ops/reference.h"
#include "ops/rescale/attrs.h"

namespace tally {

// y[d] = clamp(round(((x[d] - zero_in) * m[c] + b[c]) / 2^s[c]) + zero_out, lo, hi), where c is d's
// coordinate on `axis`, or 0 when there is one channel.
template <typename Int>
void ReferenceRescale(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<RescaleAttrs>();
  const Operand<Int>&x = c.operands[0], &m = c.operands[1], &b = c.operands[2], &s = c.operands[3];
  const int64_t channels = m.size();
  const int64_t axis = attrs.axis < 0 ? attrs.axis + x.shape().rank() : attrs.axis;
  const int64_t stride = channels == 1 ? 1 : x.shape().stride(static_cast<int>(axis));
  for (const int64_t i : c.elements()) {
    const int64_t channel = i / stride % channels;
    const RescaleParams params = {.zero_in = static_cast<int32_t>(attrs.zero_in),
                                  .multiplier = static_cast<int32_t>(static_cast<int64_t>(m[channel])),
                                  .bias = static_cast<int64_t>(b[channel]),
                                  .shift = static_cast<int>(static_cast<int64_t>(s[channel])),
                                  .rounding = attrs.rounding,
                                  .zero_out = static_cast<int32_t>(attrs.zero_out),
                                  .lo = attrs.lo,
                                  .hi = attrs.hi};
    c.results[0].Set(i, Rescale<Int>(x[i], params));
  }
}

TALLY_REFERENCE(Rescale);

// P = bias + sum over k of (x_k - z_k) * m_k; y = clamp(round(P / 2^shift) + zero_out, lo, hi). One rounding.
template <typename Int>
void ReferenceLincomb(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<LincombAttrs>();
  const Int lo(attrs.lo), hi(attrs.hi);
  for (const int64_t i : c.elements()) {
    Int sum(attrs.bias);
    for (size_t k = 0; k < c.operands.size(); ++k) {
      sum = Int(sum + Int(c.operands[k][i] - Int(attrs.zero_points[k])) * Int(attrs.multipliers[k]));
    }
    // The sign of a value matters to kDouble only, which the type rule refuses.
    const Int rounded = RoundShift<Int>(attrs.rounding, sum, static_cast<int>(attrs.shift), false);
    const Int y(rounded + Int(attrs.zero_out));
    c.results[0].Set(i, y < lo ? lo : y > hi ? hi : y);
  }
}

TALLY_REFERENCE(Lincomb);

}  // namespace tally
