// Softmax of long rows.
#include "ops/common/binade.h"
#include "ops/common/requantize.h"
#include "ops/common/softmax_steps.h"
#include "ops/normalization/attrs.h"

namespace tally {

template <typename Int>
void ExpandSoftmax(Expansion<Int>& e) {
  const auto attrs = e.template attrs<SoftmaxAttrs>();
  const SoftmaxSteps row = ExponentialsOf(e, e.Part(0), e.context().operands[0].interval.lo, 1);
  const int64_t own = e.context().element;
  e.One([=](const StepReads<Int>& r) {
    const Int exponential = Exponential<Int>(r.operand(1), Int(r(row.max) - r.operand(0)[own]));
    return OffsetAndClamp<Int>(Probability<Int>(exponential, ReciprocalOf<Int>(r(row.sum)), attrs.bits),
                               attrs);
  });
}
TALLY_EXPAND(Softmax);

template <typename Int>
void ExpandLogSoftmax(Expansion<Int>& e) {
  const auto attrs = e.template attrs<LogSoftmaxAttrs>();
  const SoftmaxSteps row = ExponentialsOf(e, e.Part(0), e.context().operands[0].interval.lo, 1);
  const int64_t own = e.context().element;
  e.One([=](const StepReads<Int>& r) {
    const Operand<Int>& logarithms = r.operand(2);
    const Binade<Int> binade(r(row.sum));
    const Int log = Int(Int(int64_t{binade.exponent} - 30) * logarithms[kBinadeEntries - 1] +
                        binade.Interpolate(logarithms));
    const Int exact = Int(Int(r.operand(0)[own] - r(row.max)) * Int(attrs.multiplier) - log);
    return Requantize<Int>(exact, attrs);
  });
}
TALLY_EXPAND(LogSoftmax);

}  // namespace tally
