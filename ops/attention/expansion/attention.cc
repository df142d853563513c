// Attention over many positions.
#include "ops/attention/attrs.h"
#include "ops/attention/logits.h"
#include "ops/attention/query.h"
#include "ops/common/requantize.h"
#include "ops/common/softmax_steps.h"

namespace tally {

template <typename Int>
void ExpandScaledDotProductAttention(Expansion<Int>& e) {
  const auto attrs = e.template attrs<ScaledDotProductAttentionAttrs>();
  const ReadContext& c = e.context();
  const Shape &y = c.results[0].shape, &keys = c.shape(1);
  const Index d = c.place();
  const Column logits = e.Map(keys[keys.rank() - 2], [attrs, y, d](const StepReads<Int>& r, int64_t s) {
    return AttentionQuery<Int>(r.operands(), attrs, y, d).Logit(s);
  });
  const SoftmaxSteps row = ExponentialsOf(e, logits, kUnseen, 3);
  const Column values = e.Part(2);
  const Column mean = e.SumOf(logits.length, [=](const StepReads<Int>& r, int64_t s) {
    return Int(Probability<Int>(r(row.exponentials, s), ReciprocalOf<Int>(r(row.sum)), kProbabilityBits) *
               r(values, s));
  });
  e.One(
      [=](const StepReads<Int>& r) { return Requantize<Int>(Int(r(mean) * Int(attrs.multiplier)), attrs); });
}
TALLY_EXPAND(ScaledDotProductAttention);

}  // namespace tally
