// Norms of long rows.
#include "ops/common/requantize.h"
#include "ops/expansion.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/normalizer.h"

namespace tally {
namespace {

// The end of both: n(r, x_i) and d(r, x_i) are those of the reference.
template <typename Int, typename N, typename D>
void NormalizeBy(Expansion<Int>& e, const LayerNormAttrs& attrs, Column x, N n, D d) {
  const Column variance = e.SumOf(
      x.length, [=](const StepReads<Int>& r, int64_t i) { return Int(n(r, r(x, i)) * d(r, r(x, i))); });
  const ReadContext& c = e.context();
  const int64_t own = c.element, channel = BroadcastView(c.shape(1), c.shape(0)).At(c.place());
  e.One([=](const StepReads<Int>& r) {
    const Int sum = r(variance);
    if (sum < Int(int64_t{0})) throw std::out_of_range("a sum of squares below 0");
    const Normalizer<Int> normalize(sum, attrs.guard, Int(attrs.epsilon), attrs.epsilon_mode);
    const Int scaled =
        Int(normalize(n(r, r.operand(0)[own])) * r.operand(1)[channel] + r.operand(2)[channel]);
    return Requantize<Int>(scaled, attrs);
  });
}

}  // namespace

template <typename Int>
void ExpandLayerNorm(Expansion<Int>& e) {
  const Column x = e.Part(0);
  const auto d = [x](const StepReads<Int>& r, const Int& element) { return Int(element - r(x, 0)); };
  const Column sum = e.SumOf(x.length, [=](const StepReads<Int>& r, int64_t i) { return d(r, r(x, i)); });
  const auto n = [=](const StepReads<Int>& r, const Int& element) {
    return Int(Int(x.length) * d(r, element) - r(sum));
  };
  NormalizeBy(e, e.template attrs<LayerNormAttrs>(), x, n, d);
}
TALLY_EXPAND(LayerNorm);

template <typename Int>
void ExpandRmsNorm(Expansion<Int>& e) {
  const auto attrs = e.template attrs<RmsNormAttrs>();
  const Column x = e.Part(0);
  const auto d = [zero = attrs.zero_in](const StepReads<Int>&, const Int& element) {
    return Int(element - Int(zero));
  };
  const auto n = [=](const StepReads<Int>& r, const Int& element) {
    return Int(Int(x.length) * d(r, element));
  };
  NormalizeBy(e, attrs, x, n, d);
}
TALLY_EXPAND(RmsNorm);

}  // namespace tally
