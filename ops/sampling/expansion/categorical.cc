// A choice among many.
#include "ops/expansion.h"
#include "ops/sampling/attrs.h"
#include "ops/sampling/philox.h"

namespace tally {

template <typename Int>
void ExpandRandomCategorical(Expansion<Int>& e) {
  const auto attrs = e.template attrs<RandomCategoricalAttrs>();
  const ReadContext& c = e.context();
  const Column weights = e.Part(0);
  const Column sum =
      e.SumOf(weights.length, [=](const StepReads<Int>& r, int64_t k) { return r(weights, k); });
  const bool counted = c.operands.size() > 1;
  const Column drawn = e.One([=, own = c.element](const StepReads<Int>& r) {
    const RandomStream stream = {attrs.seed, attrs.layer,
                                 counted ? static_cast<int64_t>(r.operand(1)[0]) : int64_t{0}};
    return Int(DrawBelow(DrawBits(stream, own), static_cast<int64_t>(r(sum))));
  });
  const Column choice = e.Bisect(
      weights.length, 0, weights.length - 1, [=](const StepReads<Int>& r) { return r(drawn); },
      [=](const StepReads<Int>& r, int64_t k, const Int& t) {
        return Int(k) < t ? r(weights, k) : Int(int64_t{0});
      });
  e.One([=](const StepReads<Int>& r) { return r(sum) > Int(int64_t{0}) ? r(choice) : Int(int64_t{0}); });
}
TALLY_EXPAND(RandomCategorical);

}  // namespace tally
