// Pooling of long windows.
#include "ops/expansion.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/average.h"

namespace tally {
namespace {

template <typename Int>
Column GreatestOf(Expansion<Int>& e, Column x) {
  return e.Fold(
      x.length, Int(e.context().operands[0].interval.lo),
      [x](const StepReads<Int>& r, int64_t i) { return r(x, i); }, Greater<Int>);
}

template <typename Int>
Column SumFrom(Expansion<Int>& e, Column x, int64_t zero) {
  return e.SumOf(x.length, [=](const StepReads<Int>& r, int64_t i) { return Int(r(x, i) - Int(zero)); });
}

}  // namespace

template <typename Int>
void ExpandMaxPool2d(Expansion<Int>& e) {
  GreatestOf(e, e.Part(0));
}
TALLY_EXPAND(MaxPool2d);

template <typename Int>
void ExpandMaxPool(Expansion<Int>& e) {
  GreatestOf(e, e.Part(0));
}
TALLY_EXPAND(MaxPool);

template <typename Int>
void ExpandMaxPoolIndices(Expansion<Int>& e) {
  const Column x = e.Part(0);
  const Column greatest = GreatestOf(e, x);
  if (e.context().result == 0) return;
  const Shape& shape = e.context().shape(0);
  const Region window = e.region(0);
  const auto position = [=](const StepReads<Int>& r, int64_t i) {
    return r(x, i) == r(greatest) ? Int(Flatten(window.At(i), shape)) : Int(shape.num_elements());
  };
  e.Fold(x.length, Int(shape.num_elements()), position, Lesser<Int>);
}
TALLY_EXPAND(MaxPoolIndices);

template <typename Int>
void ExpandWindowSum(Expansion<Int>& e) {
  SumFrom(e, e.Part(0), e.template attrs<WindowSumAttrs>().zero);
}
TALLY_EXPAND(WindowSum);

template <typename Int>
void ExpandAveragePool(Expansion<Int>& e) {
  const auto attrs = e.template attrs<AveragePoolAttrs>();
  const Column sum = SumFrom(e, e.Part(0), attrs.zero_in);
  const Shape& x = e.context().shape(0);
  const Windows windows = WindowsOf(attrs, attrs.kernel, x.rank());
  const int64_t count = CountTaps(windows, e.context().place(), x, attrs.count_include_pad);
  e.One([=](const StepReads<Int>& r) { return AverageOf<Int>(attrs, r(sum), count); });
}
TALLY_EXPAND(AveragePool);

}  // namespace tally
