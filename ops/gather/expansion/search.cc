// Operators whose positions depend on long lists of data.
#include "ops/common/selection_steps.h"
#include "ops/gather/attrs.h"
#include "ops/gather/index_shape.h"

namespace tally {

template <typename Int>
void ExpandCompact(Expansion<Int>& e) {
  const auto attrs = e.template attrs<CompactAttrs>();
  const ReadContext& c = e.context();
  const int64_t n = c.shape(1).num_elements();
  const auto is_kept = [](const StepReads<Int>& r, int64_t k) { return r.operand(1)[k] != Int(int64_t{0}); };
  const Column count = e.SumOf(n, [=](const StepReads<Int>& r, int64_t k) { return is_kept(r, k); });
  if (c.result == 1) return;
  const Shape x = c.shape(0);
  const auto axis = static_cast<size_t>(attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis);
  const Index d = c.place();
  const Column position =
      e.Bisect(n, 0, n - 1, Rank<Int>(d[axis]),
               [=](const StepReads<Int>& r, int64_t k, const Int& t) { return Int(k) < t && is_kept(r, k); });
  e.One([=](const StepReads<Int>& r) {
    if (r(count) <= Int(d[axis])) return Int(attrs.value);
    Index from = d;
    from[axis] = r.Position(position, 0, n);
    return r.operand(0)[Flatten(from, x)];
  });
}
TALLY_EXPAND(Compact);

// Column entry k is of step T - 1 - k: beams are followed from the last step back.
template <typename Int>
void ExpandGatherTree(Expansion<Int>& e) {
  const ReadContext& c = e.context();
  const Index d = c.place();
  const int64_t t = d[0], b = d[1], w = d[2];
  const int64_t time = c.shape(0)[0], batches = c.shape(0)[1], beams = c.shape(0)[2];
  const auto length = [=](const StepReads<Int>& r) { return gather::Clamped(r.operand(2)[b], time); };
  const auto at = [=](int64_t step, int64_t beam) { return (step * batches + b) * beams + beam; };
  const Column beam = e.Next(time);
  e.Map(time, [=](const StepReads<Int>& r, int64_t k) {
    const int64_t step = time - 1 - k;
    if (step >= length(r) - 1) return Int(w);
    return Int(gather::Clamped(r.operand(1)[at(step + 1, r.Position(beam, k - 1, beams))], beams - 1));
  });
  const Column sequence = e.Map(time, [=](const StepReads<Int>& r, int64_t step) {
    return step < length(r) ? r.operand(0)[at(step, r.Position(beam, time - 1 - step, beams))]
                            : r.operand(3)[0];
  });
  const Column ended = e.FirstOf(
      t, [=](const StepReads<Int>& r, int64_t step) { return r(sequence, step) == r.operand(3)[0]; });
  e.One([=](const StepReads<Int>& r) { return r(ended) < Int(t) ? r.operand(3)[0] : r(sequence, t); });
}
TALLY_EXPAND(GatherTree);

}  // namespace tally
