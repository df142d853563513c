#include "ops/common/binade.h"
#include "ops/common/requantize.h"
#include "ops/common/softmax_row.h"
#include "ops/normalization/attrs.h"
#include "ops/reduction/reduction_slices.h"
#include "ops/reference.h"

namespace tally {
namespace {

AxisSet RowAxis(int64_t axis, int rank) { return AxesToReduce(std::vector<int64_t>{axis}, rank); }

}  // namespace

// y = clamp(round(e * r / 2^(61 - bits)) + zero_out), e = E[max - x], r = round(2^61 / the sum of e).
template <typename Int>
void ReferenceSoftmax(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<SoftmaxAttrs>();
  const Operand<Int>&x = c.operands[0], &table = c.operands[1];
  const ReductionSlices rows(x.shape(), RowAxis(attrs.axis, x.shape().rank()));
  for (const int64_t row : c.GroupsBy(rows.count(), [&](int64_t i) { return rows.row_of(i); })) {
    const SoftmaxRow<Int> softmax(table, rows.length(), attrs.bits,
                                  [&](int64_t i) { return x[rows.at(row, i)]; });
    for (int64_t i = 0; i < rows.length(); ++i) {
      const int64_t at = rows.at(row, i);
      if (!c.Wants(0, at)) continue;
      c.results[0].Set(at, OffsetAndClamp<Int>(softmax(x[at]), attrs));
    }
  }
}

TALLY_REFERENCE(Softmax);

// y = clamp(round(((x - max) * multiplier - log(S / 2^30)) / 2^shift) + zero_out), S = the sum of E[max - x].
template <typename Int>
void ReferenceLogSoftmax(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<LogSoftmaxAttrs>();
  const Operand<Int>&x = c.operands[0], &table = c.operands[1], &logarithms = c.operands[2];
  const Int log_two = logarithms[kBinadeEntries - 1];
  const ReductionSlices rows(x.shape(), RowAxis(attrs.axis, x.shape().rank()));
  for (const int64_t row : c.GroupsBy(rows.count(), [&](int64_t i) { return rows.row_of(i); })) {
    const ExponentialSum<Int> sum(table, rows.length(), [&](int64_t i) { return x[rows.at(row, i)]; });
    const Binade<Int> binade(sum.sum);
    const Int log = Int(Int(int64_t{binade.exponent} - 30) * log_two + binade.Interpolate(logarithms));
    for (int64_t i = 0; i < rows.length(); ++i) {
      const int64_t at = rows.at(row, i);
      if (!c.Wants(0, at)) continue;
      const Int exact = Int(Int(x[at] - sum.max) * Int(attrs.multiplier) - log);
      c.results[0].Set(at, Requantize<Int>(exact, attrs));
    }
  }
}

TALLY_REFERENCE(LogSoftmax);

}  // namespace tally
