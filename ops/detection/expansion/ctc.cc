// The greedy decoder over many steps.
#include "ops/common/selection_steps.h"
#include "ops/detection/attrs.h"

namespace tally {

template <typename Int>
void ExpandCtcGreedyDecoder(Expansion<Int>& e) {
  const auto attrs = e.template attrs<CtcGreedyDecoderAttrs>();
  const ReadContext& c = e.context();
  const Shape& x = c.shape(0);
  const int64_t steps = x[0], sequences = x[1], classes = x[2], n = c.place()[0];
  const bool masked = c.operands.size() == 2;
  const Column best = e.Map(steps, [=](const StepReads<Int>& r, int64_t t) {
    const int64_t first = (t * sequences + n) * classes;
    int64_t greatest = 0;
    for (int64_t k = 1; k < classes; ++k) {
      if (r.operand(0)[first + k] > r.operand(0)[first + greatest]) greatest = k;
    }
    return Int(greatest);
  });
  // One by one: the mask of a sequence is apart.
  const Column open = e.Map(steps, [=](const StepReads<Int>& r, int64_t t) {
    return masked ? r.operand(1)[t * sequences + n] : Int(int64_t{1});
  });
  const Column end =
      e.FirstOf(steps, [=](const StepReads<Int>& r, int64_t t) { return r(open, t) == Int(int64_t{0}); });
  const auto is_symbol = [=](const StepReads<Int>& r, int64_t t) {
    if (Int(t) >= r(end) || r(best, t) == Int(attrs.blank)) return false;
    return !attrs.merge_repeated || t == 0 || r(best, t) != r(best, t - 1);
  };
  const Column count = e.SumOf(steps, [=](const StepReads<Int>& r, int64_t t) { return is_symbol(r, t); });
  if (c.result == 1) return;
  const int64_t rank = c.place()[1];
  const Column step = e.Bisect(steps, 0, steps - 1, Rank<Int>(rank),
                               [=](const StepReads<Int>& r, int64_t t, const Int& limit) {
                                 return Int(t) < limit && is_symbol(r, t);
                               });
  e.One([=](const StepReads<Int>& r) {
    return Int(rank) < r(count) ? r(best, r.Position(step, 0, steps)) : Int(int64_t{-1});
  });
}
TALLY_EXPAND(CtcGreedyDecoder);

}  // namespace tally
