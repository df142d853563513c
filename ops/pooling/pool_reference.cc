#include "ops/indexing.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/average.h"
#include "ops/reference.h"
#include "ops/window.h"

namespace tally {
namespace {

// visit(flat position of x) for each element of x in the window at `place`, in row-major order.
template <typename Visit>
void ForEachElement(const Windows& windows, const Index& place, const Shape& x, Visit visit) {
  ForEachTap(windows, place, x, [&](const Index&, const Index& position) { visit(Flatten(position, x)); });
}

// The first position of the maximum of the window at `place`. The constraints leave no window empty.
template <typename Int>
int64_t PositionOfMaximum(const Operand<Int>& x, const Windows& windows, const Index& place) {
  int64_t best = -1;
  Int greatest = 0;
  ForEachElement(windows, place, x.shape(), [&](int64_t i) {
    const Int value = x[i];
    if (best >= 0 && value <= greatest) return;
    best = i;
    greatest = value;
  });
  return best;
}

template <typename Int>
Int SumOfWindow(const Operand<Int>& x, const Windows& windows, const Index& place, int64_t zero) {
  Int sum = 0;
  ForEachElement(windows, place, x.shape(), [&](int64_t i) { sum = Int(sum + Int(x[i] - Int(zero))); });
  return sum;
}

}  // namespace

// y[n, c, p..] = max of x[n, c, q..] over the positions q = p * stride - pad_begin + k * dilation inside x,
// for k in [0, kernel).
template <typename Int>
void ReferenceMaxPool(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<PoolAttrs>();
  const Operand<Int>& x = c.operands[0];
  const Windows windows = WindowsOf(attrs, attrs.kernel, x.shape().rank());
  for (const int64_t i : c.elements()) {
    const Index place = Unflatten(i, c.results[0].shape());
    c.results[0].Set(i, x[PositionOfMaximum(x, windows, place)]);
  }
}

// The same, and the least row-major position of the maximum in all of x.
template <typename Int>
void ReferenceMaxPoolIndices(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<PoolAttrs>();
  const Operand<Int>& x = c.operands[0];
  const Windows windows = WindowsOf(attrs, attrs.kernel, x.shape().rank());
  for (const int64_t i : c.elements()) {
    const int64_t position = PositionOfMaximum(x, windows, Unflatten(i, c.results[0].shape()));
    c.results[0].Set(i, x[position]);
    c.results[1].Set(i, Int(position));
  }
}

// y[p..] = sum of x[q..] - zero over the positions q of the window at p inside x.
template <typename Int>
void ReferenceWindowSum(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<WindowSumAttrs>();
  const Operand<Int>& x = c.operands[0];
  const Windows windows = WindowsOf(attrs, attrs.kernel, x.shape().rank());
  for (const int64_t i : c.elements()) {
    c.results[0].Set(i, SumOfWindow(x, windows, Unflatten(i, c.results[0].shape()), attrs.zero));
  }
}

// y = clamp(round(S * multiplier / (count * 2^shift)) + zero_out, lo, hi), S as in window_sum.
template <typename Int>
void ReferenceAveragePool(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<AveragePoolAttrs>();
  const Operand<Int>& x = c.operands[0];
  const Windows windows = WindowsOf(attrs, attrs.kernel, x.shape().rank());
  for (const int64_t i : c.elements()) {
    const Index place = Unflatten(i, c.results[0].shape());
    const int64_t count = CountTaps(windows, place, x.shape(), attrs.count_include_pad);
    c.results[0].Set(i, AverageOf<Int>(attrs, SumOfWindow(x, windows, place, attrs.zero_in), count));
  }
}

TALLY_REFERENCE(MaxPool);
TALLY_REFERENCE(MaxPoolIndices);
TALLY_REFERENCE(WindowSum);
TALLY_REFERENCE(AveragePool);

}  // namespace tally
