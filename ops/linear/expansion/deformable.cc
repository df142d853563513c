// A deformable convolution tap by tap.
#include "base/rescale.h"
#include "ops/expansion.h"
#include "ops/linear/deformable_taps.h"

namespace tally {

template <typename Int>
void ExpandDeformableConv2d(Expansion<Int>& e) {
  const auto attrs = e.template attrs<DeformableConv2dAttrs>();
  const Shape& shape = e.context().shape(1);
  const int64_t rows = shape[2], columns = shape[3];
  const Column w = e.Part(1);
  const Column taps = e.Map(w.length, [=, d = e.context().place()](const StepReads<Int>& r, int64_t i) {
    const int64_t ic = i / (rows * columns), ki = i / columns % rows, kj = i % columns;
    return DeformableTaps<Int>(r.operands(), attrs, d).At(ic, ki, kj);
  });
  const Column sum =
      e.SumOf(w.length, [=](const StepReads<Int>& r, int64_t i) { return Int(r(w, i) * r(taps, i)); });
  e.One([=](const StepReads<Int>& r) {
    return RoundShift<Int>(Rounding::kHalfUp, r(sum), static_cast<int>(attrs.shift), false);
  });
}
TALLY_EXPAND(DeformableConv2d);

}  // namespace tally
