// Local responses of long windows.
#include "ops/common/requantize.h"
#include "ops/expansion.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/response_power.h"

namespace tally {

template <typename Int>
void ExpandLocalResponseNorm(Expansion<Int>& e) {
  const auto attrs = e.template attrs<LocalResponseNormAttrs>();
  const Column x = e.Part(0);
  const Column squares = e.SumOf(x.length, [=](const StepReads<Int>& r, int64_t i) {
    const Int v(r(x, i) - Int(attrs.zero_in));
    return Int(v * v);
  });
  e.One([=, own = e.context().element](const StepReads<Int>& r) {
    const Int u(Int(attrs.bias) + Int(attrs.alpha) * r(squares));
    const Int power = ResponsePower<Int>(u, r.operand(1), r.operand(2));
    return Requantize<Int>(Int(Int(r.operand(0)[own] - Int(attrs.zero_in)) * power), attrs);
  });
}
TALLY_EXPAND(LocalResponseNorm);

}  // namespace tally
