#include "ops/common/requantize.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/normalizer.h"
#include "ops/reduction/reduction_slices.h"
#include "ops/reference.h"

namespace tally {
namespace {

// y = clamp(round((z * m + b) / 2^shift) + zero_out). `centre(row)` gives n(i) = N times the distance of
// element i from the centre of its row, and d(i), of which the sum of n(i) * d(i) is N^2 times the variance.
template <typename Int, typename Centre>
void Normalize(const ReferenceContext<Int>& c, const LayerNormAttrs& attrs, Centre centre) {
  const Operand<Int>&x = c.operands[0], &m = c.operands[1], &b = c.operands[2];
  const ReductionSlices rows(x.shape(), AxesToReduce(attrs.axes, x.shape().rank()));
  const StridedView in_m = BroadcastView(m.shape(), x.shape());  // and in b
  for (const int64_t row : c.GroupsBy(rows.count(), [&](int64_t i) { return rows.row_of(i); })) {
    const auto [n, d] = centre(rows, row);
    Int variance(int64_t{0});
    for (int64_t i = 0; i < rows.length(); ++i) variance = Int(variance + n(i) * d(i));
    const Normalizer<Int> normalize(variance, attrs.guard, Int(attrs.epsilon), attrs.epsilon_mode);
    for (int64_t i = 0; i < rows.length(); ++i) {
      const int64_t at = rows.at(row, i);
      if (!c.Wants(0, at)) continue;
      const int64_t channel = in_m.At(Unflatten(at, x.shape()));
      const Int scaled = Int(normalize(n(i)) * m[channel] + b[channel]);
      c.results[0].Set(at, Requantize<Int>(scaled, attrs));
    }
  }
}

}  // namespace

// n = N * x - S1. Measuring from the first element of the row changes neither n nor the variance, and keeps
// both inside 64 bits wherever the row is.
template <typename Int>
void ReferenceLayerNorm(const ReferenceContext<Int>& c) {
  const Operand<Int>& x = c.operands[0];
  Normalize(c, c.template attrs<LayerNormAttrs>(), [&](const ReductionSlices& rows, int64_t row) {
    const auto d = [&x, rows, row](int64_t i) { return Int(x[rows.at(row, i)] - x[rows.at(row, 0)]); };
    Int sum(int64_t{0});
    for (int64_t i = 0; i < rows.length(); ++i) sum = Int(sum + d(i));
    const auto n = [d, sum, length = Int(rows.length())](int64_t i) { return Int(length * d(i) - sum); };
    return std::pair(n, d);
  });
}

TALLY_REFERENCE(LayerNorm);

// n = N * (x - zero_in)
template <typename Int>
void ReferenceRmsNorm(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<RmsNormAttrs>();
  const Operand<Int>& x = c.operands[0];
  Normalize(c, attrs, [&](const ReductionSlices& rows, int64_t row) {
    const auto d = [&x, rows, row, zero = Int(attrs.zero_in)](int64_t i) {
      return Int(x[rows.at(row, i)] - zero);
    };
    const auto n = [d, length = Int(rows.length())](int64_t i) { return Int(length * d(i)); };
    return std::pair(n, d);
  });
}

TALLY_REFERENCE(RmsNorm);

}  // namespace tally
