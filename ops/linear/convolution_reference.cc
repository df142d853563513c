#include "ops/indexing.h"
#include "ops/linear/attrs.h"
#include "ops/reference.h"
#include "ops/window.h"

namespace tally {

// y[n, oc, p..] = bias[oc] + sum over ic, k.. of (x[n, g * IC + ic, q..] - zero_x) * (w[oc, ic, k..] -
// zero_w) where q = p * stride - pad_begin + k * dilation on each spatial axis, for the q inside x, and
//       g = oc / (OC / groups), IC = C / groups.
template <typename Int>
void ReferenceConvolution(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ConvolutionAttrs>();
  const Operand<Int>&x = c.operands[0], &w = c.operands[1];
  const Result<Int>& y = c.results[0];
  const Int zero_x(attrs.zero_x), zero_w(attrs.zero_w);
  const int64_t IC = w.shape()[1], OPG = w.shape()[0] / attrs.groups;
  Windows windows = WindowsOf(attrs, w.shape().dims().subspan(2), x.shape().rank());
  const int64_t dilation = windows[x.shape().rank() - 1].dilation;
  windows[1] = {.size = IC, .stride = IC};  // the channels of group g are the window at g
  for (const int64_t i : c.elements()) {
    const Index d = Unflatten(i, y.shape());
    const int64_t oc = d[1];
    Index place = d;
    place[1] = oc / OPG;
    Int acc = 0;
    ForEachRunOfTaps(windows, place, x.shape(), [&](Index tap, const Index& position, int64_t count) {
      tap[0] = oc;
      const int64_t q = Flatten(position, x.shape()), k = Flatten(tap, w.shape());
      for (int64_t j = 0; j < count; ++j) acc += Int(x[q + j * dilation] - zero_x) * Int(w[k + j] - zero_w);
    });
    if (c.operands.size() == 3) acc = Int(acc + c.operands[2][oc]);
    y.Set(i, acc);
  }
}

TALLY_REFERENCE(Convolution);

}  // namespace tally
