#include "ops/common/binade.h"
#include "ops/common/requantize.h"
#include "ops/reference.h"
#include "ops/table/attrs.h"

namespace tally {

// x = 2^k * (1 + position), P = M(position) * X[k] or M(position) + X[k],
// y = clamp(round(P / 2^shift) + zero_out, lo, hi).
template <typename Int>
void ReferenceNormalizedTable(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<NormalizedTableAttrs>();
  const Operand<Int>&x = c.operands[0], &mantissas = c.operands[1], &exponents = c.operands[2];
  for (const int64_t i : c.elements()) {
    const Binade<Int> binade(x[i]);
    const Int mantissa = binade.Interpolate(mantissas), exponent = exponents[binade.exponent];
    const Int exact =
        attrs.combine == Combine::kProduct ? Int(mantissa * exponent) : Int(mantissa + exponent);
    c.results[0].Set(i, Requantize<Int>(exact, attrs));
  }
}

TALLY_REFERENCE(NormalizedTable);

}  // namespace tally
